import StoreCore
import StoreSchema
import StoreUnits
import Testing

@Schema
struct Sheet: Hashable, Sendable {
  var count = 0
  var flag = false
  var items: [Int] = [1, 2]
  var title = "a"
}

enum SheetAction: Sendable, CustomStringConvertible {
  case inc, noop, append(Int), both(String), clear, gate(Bool)

  var isOn: Bool? { if case .gate(let isOn) = self { isOn } else { nil } }

  var description: String {
    switch self {
    case .inc: "inc"
    case .noop: "noop"
    case .append: "append"
    case .both: "both"
    case .clear: "clear"
    case .gate: "gate"
    }
  }

  static let reducer = Reducer<SheetAction, Sheet>("sheet") { action, sheet in
    switch action {
    case .inc: sheet.count += 1
    case .noop, .gate: break
    case .append(let item): sheet.items.append(item)
    case .both(let title):
      sheet.count += 1
      sheet.title = title
    case .clear: sheet.items = []
    }
  }
}

/// R22.
@Suite struct LoggerTests {
  private func text(_ change: Change) -> String {
    switch change.kind {
    case .replace(let old, let new): "\(change.path) \(JSON.text(of: old))→\(JSON.text(of: new))"
    case .add(let new): "\(change.path) +\(JSON.text(of: new))"
    case .remove(let old): "\(change.path) -\(JSON.text(of: old))"
    case .move(let position): "\(change.path) to \(position)"
    }
  }

  private func logged(
    _ actions: [SheetAction],
    _ arrange: (Middleware<SheetAction, Never, Sheet>) -> Middleware<SheetAction, Never, Sheet>
  ) throws -> ([String], [ActionSource]) {
    let entries = Lock<[LoggedAction<SheetAction>]>([])
    let logger = Middleware<SheetAction, Never, Sheet>.logger { entry in entries.withLock { $0.append(entry) } }
    let store = try Store(
      initial: Sheet(), reducer: SheetAction.reducer,
      middleware: arrange(logger).lift(input: { $0 }, to: SheetAction.self, state: { $0 }))
    for (index, action) in actions.enumerated() {
      store.dispatch(
        action, source: ActionSource(file: "s13.cmds", function: "dispatch", line: index + 1, kind: .batch))
    }
    let found = entries.withLock { $0 }
    return (
      found.map { "\($0.context.number) \($0.action) [\($0.changes.map(text).joined(separator: ", "))]" },
      found.map(\.context.source)
    )
  }

  @Test func s13WhatTheLogSays() throws {
    for arrange in [
      { $0 }, { .compose(.identity, .compose($0, .identity)) }, { $0.lift(input: { $0 }).lift(state: { $0 }) },
    ] as [(Middleware<SheetAction, Never, Sheet>) -> Middleware<SheetAction, Never, Sheet>] {
      let (lines, sources) = try logged([.inc, .noop, .append(3), .both("b"), .clear], arrange)
      #expect(
        lines == [
          "1 inc [count 0→1]",
          "2 noop []",
          "3 append [items[3] +3]",
          #"4 both [count 1→2, title "a"→"b"]"#,
          "5 clear [items[1] -1, items[2] -2, items[3] -3]",
        ])
      #expect(
        sources == (1...5).map { ActionSource(file: "s13.cmds", function: "dispatch", line: $0, kind: .batch) })
    }
  }

  @Test func aShutLoggerLogsNothing() throws {
    let (lines, _) = try logged([.inc, .gate(false), .inc, .gate(true), .inc]) {
      $0.gated(control: \.isOn, on: true, off: false)
    }
    // Control actions are forwarded; the one that shuts the gate is the last before the pause.
    #expect(lines == ["1 inc [count 0→1]", "2 gate []", "4 gate []", "5 inc [count 2→3]"])
  }

  @Test func eachEntryHasItsOwnBeforeAndAfterThoughTheActionsAreQueuedTogether() throws {
    let entries = Lock<[String]>([])
    let logger = Middleware<SheetAction, Never, Sheet>.logger { entry in
      entries.withLock { $0.append("\(entry.action) \(entry.changes.count)") }
    }
    let chain = Middleware<SheetAction, SheetAction, Sheet>("chain") { action, _, _ in
      guard case .both = action else { return .none }
      return IO {
        $0.dispatch(.inc)
        $0.dispatch(.noop)
        $0.dispatch(.clear)
      }
    }
    let store = try Store(
      initial: Sheet(), reducer: SheetAction.reducer,
      middleware: .compose(chain, logger.lift(input: { $0 }, to: SheetAction.self, state: { $0 })))
    store.dispatch(.both("b"))
    #expect(entries.withLock { $0 } == ["both 2", "inc 1", "noop 0", "clear 2"])
  }

  @Test func itStandsAmongMiddlewaresThatDispatch() throws {
    let entries = Lock<[String]>([])
    let answering = Middleware<SheetAction, SheetAction, Sheet>("answering") { action, _, _ in
      if case .clear = action { IO { $0.dispatch(.inc) } } else { .none }
    }
    let store = try Store(
      initial: Sheet(), reducer: SheetAction.reducer,
      middleware: .compose(
        .logger { entry in entries.withLock { $0.append("\(entry.action) \(entry.changes.count)") } }, answering))
    store.dispatch(.clear)
    #expect(entries.withLock { $0 } == ["clear 2", "inc 1"])
  }
}
