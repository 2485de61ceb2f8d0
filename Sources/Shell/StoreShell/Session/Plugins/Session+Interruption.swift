import ShellLanguage

extension Session {
  /// Offers to unload the plugins whose code ran when a statement was interrupted, where once was not enough.
  func followInterruption(_ statement: Statement, wasRepeated: Bool) {
    let names = store.takeInterrupted()
    guard wasRepeated, interrupts.stop?.isStopped != true, let ask else { return }
    for name in names where store.plugin(named: name) != nil {
      let answer = ask("\(name) went on after Ctrl-C. Unload it? [y]es, [N]o: ")
      guard answer?.lowercased().first == "y" else { continue }
      var reader = StatementReader(Array("plugin unload \(name)".utf8), grammar: grammar)
      if let unload = try? reader.next() { run(unload.numbered(statement.line)) }
    }
  }
}
