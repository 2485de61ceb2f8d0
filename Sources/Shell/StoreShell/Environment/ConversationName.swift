import Platform
import ShellLanguage
import StoreCore

/// The place of a conversation, which makes its name where none was given.
package enum ConversationPlace: Hashable, Sendable {
  /// The program's own terminal: `ann@pts/3`, or `ann/-` where there is none.
  case terminal
  /// A script: `ann/deploy.stsh`.
  case script(String)
  /// `-c`: `ann/-c`.
  case commands
  /// Standard input: `ann/-`.
  case standardInput
  /// A door: `ann/door:7`.
  ///
  /// - Parameter user: as the kernel knows it; nil: it knows none, as over TCP.
  case door(user: String?, number: UInt64)
}

/// The names that conversations may give themselves.
public enum ConversationName {
  /// Throws if a conversation may not have a name: 1 to 64 of `A-Z a-z 0-9 . _ - @ /`, and not the login of another user.
  ///
  /// - Parameter user: the user at the other end, as the kernel knows it; nil: none is known.
  /// - Throws: ``ShellError``.
  public static func check(_ name: String, of user: String?) throws(ShellError) {
    guard ActionAuthor.allows(name) else {
      throw ShellError(
        code: .notAllowed, message: "'\(SafeText.line(name))' is no name of a conversation",
        hint: "a name has 1 to 64 letters, digits and . _ - @ /", status: 2)
    }
    if let user, name != user, SystemUser.exists(name) {
      throw ShellError(
        code: .notAllowed, message: "'\(name)' is another user of this system",
        hint: "name it \(user)@PLACE or otherwise",
        status: 2)
    }
  }

  /// The name of this program at a terminal: `ann@pts/3`.
  package static func atTerminal(of user: String) -> String {
    let terminal = (0...2).lazy.compactMap { ttyname(Int32($0)).flatMap { String(validatingCString: $0) } }.first
    guard let terminal else { return "\(user)/-" }
    return "\(user)@\(allowed(terminal.hasPrefix("/dev/") ? String(terminal.dropFirst(5)) : terminal))"
  }

  package static func own(_ place: ConversationPlace) -> String {
    ActionAuthor(of: place, of: SystemUser.current).name
  }

  /// A text as a part of a name.
  fileprivate static func allowed(_ text: String) -> String {
    String(decoding: text.utf8.map { ActionAuthor.isAllowed($0) ? $0 : UInt8(ascii: "_") }.suffix(40), as: UTF8.self)
  }
}

extension ActionAuthor {
  fileprivate convenience init(of place: ConversationPlace, of user: String) {
    let name =
      switch place {
      case .terminal: ConversationName.atTerminal(of: user)
      case .script(let file):
        "\(user)/\(ConversationName.allowed(file.split(separator: "/").last.map(String.init) ?? file))"
      case .commands: "\(user)/-c"
      case .standardInput: "\(user)/-"
      case .door(_, let number): "\(user)/door:\(number)"
      }
    self.init(user: user, name: name)
  }
}

extension SessionOptions {
  /// Who acts in a session with these options.
  package var author: ActionAuthor {
    guard case .door(let user, let number) = place else {
      let user = SystemUser.current
      return who.map { ActionAuthor(user: user, name: $0) } ?? ActionAuthor(of: place, of: user)
    }
    if let who { return ActionAuthor(user: user, name: who) }
    return user.map { ActionAuthor(of: place, of: $0) } ?? ActionAuthor(user: nil, name: "door:\(number)")
  }
}

extension ActionSource {
  /// True if the name matches a pattern, in which `*` stands for anything: with the user beside it, or without.
  func isBy(_ pattern: String) -> Bool {
    guard let who else { return false }
    return Glob.matches(pattern, who) || author.map { Glob.matches(pattern, $0.text) } ?? false
  }

  /// The source in one word, and the name behind it where there are several: `repl:3 by ann@pts/3`.
  func shown(withName tellsName: Bool) -> String {
    guard tellsName, let author else { return short }
    return "\(short) by \(author.text)"
  }

  /// The name as lists show it; nil: a unit dispatched.
  var shownWho: String? { author?.text ?? who }
}
