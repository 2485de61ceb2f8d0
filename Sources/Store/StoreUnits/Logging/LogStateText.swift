import StoreSchema

/// The text of the state in a log: of an action's changes, or of the state after it.
public struct LogStateText<State>: Sendable {
  /// A text needs no state, the one after, or both: what is not needed is not kept while the action is reduced.
  enum Kind: Sendable {
    case none
    case after(@Sendable (State) -> String?)
    case both(@Sendable (_ before: State, _ after: State) -> String?)
  }

  let kind: Kind

  static var noChange: String { "no change" }

  /// Nothing.
  public static var none: LogStateText { LogStateText(kind: .none) }

  /// The text that a closure makes of the states before and after, on the writer's thread; nil: nothing.
  public static func custom(_ text: @escaping @Sendable (_ before: State, _ after: State) -> String?) -> LogStateText {
    LogStateText(kind: .both(text))
  }

  /// The state after the action, as a closure writes it.
  public static func new(_ text: @escaping @Sendable (State) -> String) -> LogStateText {
    LogStateText(kind: .after(text))
  }

  /// The lines that differ between the states before and after, as a closure writes them, in the unified format.
  ///
  /// - Parameters:
  ///   - context: the number of equal lines shown around a difference.
  ///   - text: writes a state; what it writes must not depend on anything else.
  public static func lines(context: Int = 2, _ text: @escaping @Sendable (State) -> String) -> LogStateText {
    LogStateText(
      kind: .both { before, after in
        let difference = LineDifference(text(before), text(after))
        return difference.isEmpty ? noChange : difference.unified(context: context)
      })
  }
}

extension LogStateText where State: Schematic {
  /// The changes, field by field, in the order of the schema (R22).
  ///
  /// - Parameter ignored: the parts to leave out, with all that is in them; a step `[*]` stands for every element.
  public static func fields(ignoring ignored: [Path] = []) -> LogStateText {
    LogStateText(
      kind: .both { before, after in
        let changes = withUnsafePointer(to: before) { before in
          withUnsafePointer(to: after) { after in
            State.schema.changes(from: UnsafeRawPointer(before), to: UnsafeRawPointer(after))
          }
        }
        let shown = changes.filter { change in !ignored.contains { $0.covers(change.path) } }
        return shown.isEmpty ? noChange : shown.map(\.logLine).joined(separator: "\n")
      })
  }

  /// The lines that differ between the states before and after, one line a value: `tasks.items[1].title: "milk"`.
  ///
  /// - Parameters:
  ///   - context: the number of equal lines shown around a difference.
  ///   - ignored: the parts to leave out, with all that is in them; a step `[*]` stands for every element.
  public static func lines(context: Int = 2, ignoring ignored: [Path] = []) -> LogStateText {
    lines(context: context) { ValueLines.text(of: $0.schemaValue, ignoring: ignored) }
  }

  /// The state after the action, one line a value.
  ///
  /// - Parameter ignored: the parts to leave out, with all that is in them; a step `[*]` stands for every element.
  public static func new(ignoring ignored: [Path] = []) -> LogStateText {
    new { ValueLines.text(of: $0.schemaValue, ignoring: ignored) }
  }
}

extension Change {
  fileprivate var logLine: String {
    let place = path.isEmpty ? "" : "\(path): "
    return switch kind {
    case .replace(let old, let new): "\(place)\(JSON.text(of: old)) → \(JSON.text(of: new))"
    case .add(let new): "\(place)added \(JSON.text(of: new))"
    case .remove(let old): "\(place)removed \(JSON.text(of: old))"
    case .move(let position): "\(place)moved from \((positions.last ?? position) + 1) to \(position + 1)"
    }
  }
}

extension Path {
  /// True if another path is this one or leads further inwards from it.
  func covers(_ other: Path) -> Bool {
    steps.count <= other.steps.count && zip(steps, other.steps).allSatisfy { $0.matches($1) }
  }
}

extension Path.Step {
  fileprivate func matches(_ other: Path.Step) -> Bool {
    switch (self, other) {
    case (.all, .index), (.all, .key), (.all, .match): true
    case (.field(let name), .key(.string(let key))), (.key(.string(let key)), .field(let name)): name == key
    case (.index(let index), .key(.int(let key))), (.key(.int(let key)), .index(let index)): index == key
    default: self == other
    }
  }
}
