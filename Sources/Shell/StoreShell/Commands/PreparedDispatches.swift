/// Dispatches of lines that repeat, ready to go: their words are understood and their arguments checked once, as databases
/// prepare a statement. A small table; a line has one place in it.
struct PreparedDispatches {
  private struct Place {
    let reading: StatementText
    let action: HostAction
    let isQuiet: Bool
  }

  private var places = [Place?](repeating: nil, count: 64)
  private var version = 0

  /// What a statement dispatches, where it was kept.
  subscript(reading: StatementText, version version: Int) -> (action: HostAction, isQuiet: Bool)? {
    guard version == self.version, let place = places[PreparedDispatches.place(of: reading)],
      place.reading === reading
    else { return nil }
    return (place.action, place.isQuiet)
  }

  /// Keeps what a statement dispatches.
  ///
  /// - Parameter version: of the names of actions; those of another version are forgotten.
  mutating func keep(_ action: HostAction, isQuiet: Bool, of reading: StatementText, version: Int) {
    if version != self.version { self = PreparedDispatches() }
    self.version = version
    places[PreparedDispatches.place(of: reading)] = Place(reading: reading, action: action, isQuiet: isQuiet)
  }

  private static func place(of reading: StatementText) -> Int {
    // Objects lie sixteen bytes apart at least.
    Int(bitPattern: Unmanaged.passUnretained(reading).toOpaque()) >> 4 & 63
  }
}

extension Session {
  /// Runs a dispatch that was prepared; nil where the statement is another one.
  func runPrepared(_ statement: Statement) throws -> CommandResult? {
    guard statement.isRepeated, !hasNames,
      let prepared = prepared[statement.reading, version: store.actionNamesVersion]
    else { return nil }
    let report = store.dispatch(prepared.action, source: source(function: "dispatch"))
    return try finish(report, quietly: prepared.isQuiet)
  }

  /// Keeps the action of a statement that may come again and means the same then.
  func prepare(_ action: HostAction, isQuiet: Bool, of statement: Statement) {
    guard statement.isRepeated, !hasNames, statement.reading.isConstant else { return }
    prepared.keep(action, isQuiet: isQuiet, of: statement.reading, version: store.actionNamesVersion)
  }
}
