import StoreSchema

extension JournalReader {
  /// The state after an action as it was written, for a program that does not know the types of then any more: the latest
  /// snapshot, led on by what the rows behind it say.
  ///
  /// - Parameters:
  ///   - number: the action.
  ///   - latest: the latest action whose snapshot may be taken; nil: the action itself.
  ///   - isRecord: whether what a path leads to is known to be a record. A field that lost its value is null there; a member
  ///     of anything else that lost its value is gone.
  /// - Returns: nil: there is no snapshot that can be read.
  /// - Throws: ``JournalError``; `ChangeError` where a row does not fit the state before it.
  public func writtenState(
    after number: Int, from latest: Int? = nil, isRecord: @escaping (Path) -> Bool
  ) throws -> JournalSnapshot? {
    guard let snapshot = try snapshot(upTo: latest ?? number) else { return nil }
    guard snapshot.number < number else { return snapshot }
    var states: [String: Value] = [:]
    let untyped = EntryReader(EntryTypes(action: { _ in nil }, slice: { _ in nil }))
    try visit(snapshot.number + 1...number) { row in
      if row.changesMore { throw row.stateIsLost(path) }
      guard let text = row.changes else { return }
      var rest = try untyped.changes(of: text)[...]
      while let module = rest.first?.module {
        let part = rest.prefix { $0.module == module }
        rest = rest[part.endIndex...]
        if states[module] == nil {
          let slice = snapshot.slices.first { $0.module == module }
          states[module] = try slice.map { try JSON.value(of: $0.state) }
        }
        states[module] = try (states[module] ?? Value.none).changed(by: part, isRecord: isRecord)
      }
    }
    return JournalSnapshot(
      number: number,
      slices: snapshot.slices.map { slice in
        states[slice.module].map { JournalSnapshot.Slice(module: slice.module, state: JSON.text(of: $0)) } ?? slice
      })
  }
}
