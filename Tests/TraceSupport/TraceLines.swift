import StoreCore

/// Collects trace events as lines.
package final class TraceLines: Sendable {
  private let collected = Lock<[String]>([])
  private let kinds: Set<Character>

  /// - Parameter kinds: the marks that are kept; a test compares only the kinds that its scenario shows.
  package init(_ kinds: String = "QBHRCUFNIEGXAD") { self.kinds = Set(kinds) }

  package var lines: [String] { collected.withLock { $0 } }

  /// The lines so far, which are then forgotten.
  package func take() -> [String] {
    collected.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  package func note(_ line: String) { collected.withLock { $0.append(line) } }

  package func listen<Action, State>(to store: Store<Action, State>) {
    store.setTrace { [self] event in
      let line = TraceLines.render(event)
      if let mark = line.first, kinds.contains(mark) { note(line) }
    }
  }

  package static func render(_ event: TraceEvent) -> String {
    switch event {
    case .enqueued(let number, let action, let cause): "Q \(number) \(action)" + (cause.map { " <\($0)" } ?? "")
    case .before(let number, let unit, let state): "B \(number) \(unit) s=\(state)"
    case .after(let number, let unit, let state): "A \(number) \(unit) s=\(state)"
    case .handle(let number, let unit, let state): "H \(number) \(unit) s=\(state)"
    case .reduce(let number, let unit, let before, let after): "R \(number) \(unit) \(before)→\(after)"
    case .committed(let number, let before, let after): "C \(number) \(before)→\(after)"
    case .unchanged(let number): "U \(number)"
    case .failed(let number, let reason): "F \(number) \(reason)"
    case .notified(let number, let watcher, let value): "N \(number) \(watcher) \(value)"
    case .io(let number, let unit, let state): "I \(number) \(unit) s=\(state)"
    case .effect(let number, let unit, let token, let step): "E \(number) \(unit)/\(token ?? "-") \(step.rawValue)"
    case .gate(let unit, let isOpen): "G \(unit) \(isOpen ? "on" : "off")"
    case .dropped(let what, let reason): "X \(what) \(reason)"
    case .done(let number): "D \(number)"
    }
  }
}

/// The lines of a scenario as tests write them: one a line, or several on one line between dots.
package func scenario(_ text: String) -> [String] {
  text.split(separator: "\n").flatMap { $0.split(separator: "·") }
    .map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
}
