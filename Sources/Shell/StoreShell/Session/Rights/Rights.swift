import ShellLanguage

/// The one place where a session's rights are looked at.
extension Session {
  /// Refuses something that the door does not allow.
  ///
  /// - Parameters:
  ///   - need: its need; nil: all rights.
  ///   - what: its name, as it is written.
  func require(_ need: Need?, for what: @autoclosure () -> String, at place: ShellError.Place = .command)
    throws(ShellError)
  {
    guard !options.rights.allow(need) else { return }
    if case .action(let type)? = need, options.rights.mayDispatch,
      var refusal = Self.refusal(ofDispatching: type.fullName, options.rights)
    {
      refusal.place = place
      throw refusal
    }
    throw Self.refusal(of: what(), options.rights, at: place)
  }

  /// Refuses a line that holds something that the door does not allow: a command, a flag, or a result that goes elsewhere.
  func requireRights(_ reader: CommandReader) throws(ShellError) {
    guard !options.rights.isAll else { return }
    let definition = reader.definition
    let part = definition.needs?.parts.isEmpty == false ? reader.operands.first?.text : nil
    let isClients =
      definition.clientFileNeed != nil
      && (definition.namesFile ? reader.fileOperand.map { self.isClients($0.text) } ?? false : person.files != nil)
    try require(
      isClients ? definition.clientFileNeed : definition.needs?.need(ofPart: part),
      for: ([definition.verb] + (part.map { [$0] } ?? [])).joined(separator: " "))
    for flag in definition.flags where reader.has(flag.name) {
      try require(flag.need, for: "\(definition.verb) --\(flag.name)", at: reader.place(of: flag.name))
    }
    if let redirection = reader.statement.redirection { try requireRights(to: redirection) }
  }

  /// Refuses a result that goes elsewhere, where the door does not allow that.
  func requireRights(to redirection: Redirection) throws(ShellError) {
    let what = redirection.kind == .command ? "a pipe into a command" : "a file for a result"
    try require(person.files == nil ? nil : .read, for: what, at: .span(redirection.span))
  }

  /// The refusal of an action that the door does not allow; nil: it does.
  static func refusal(ofDispatching action: String, _ rights: Rights) -> ShellError? {
    guard !rights.allow(dispatching: action) else { return nil }
    var error = refusal(of: "dispatching \(action)", rights, at: .command)
    // No command that a person types has such a name.
    if action.hasPrefix("shell.") { error.hint = error.hint.map { "\($0); this needs dispatch:\(action)" } }
    return error
  }

  private static func refusal(of what: String, _ rights: Rights, at place: ShellError.Place) -> ShellError {
    ShellError(
      code: .notAllowed, message: "this door does not allow \(what)", place: place,
      hint: "it allows \(rights.given.isEmpty ? "nothing" : rights.text)")
  }
}
