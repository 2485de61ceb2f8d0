import ShellLanguage
import StoreSchema

/// Something that a line gives a command: known when the line is read, or later, once what `$name` and `$(…)` stand for is.
enum Given<Content> {
  case known(Content)
  case later((Session) throws -> Content)

  /// The content, where it is known when the line is read.
  var known: Content? {
    guard case .known(let content) = self else { return nil }
    return content
  }

  /// Makes something of the content, as soon as that is known.
  func map<Other>(_ make: @escaping (Content) throws -> Other) throws -> Given<Other> {
    switch self {
    case .known(let content): .known(try make(content))
    case .later(let content): .later { try make(content($0)) }
    }
  }

  /// Makes something of the content that may be known later itself.
  func flatMap<Other>(_ make: @escaping (Content) throws -> Given<Other>) throws -> Given<Other> {
    switch self {
    case .known(let content): try make(content)
    case .later(let content): .later { try make(content($0)).value(in: $0) }
    }
  }

  /// Two things as one, which is known when both are.
  func with<Other>(_ other: Given<Other>) throws -> Given<(Content, Other)> {
    try flatMap { content in try other.map { (content, $0) } }
  }

  /// Several things as one, which is known when all of them are.
  static func all(_ parts: [Given]) -> Given<[Content]> {
    let known = parts.compactMap(\.known)
    if known.count == parts.count { return .known(known) }
    return .later { session in try parts.map { try $0.value(in: session) } }
  }

  /// The content, for whoever performs the command.
  consuming func value(in session: Session) throws -> Content {
    switch consume self {
    case .known(let content): content
    case .later(let content): try content(session)
    }
  }
}

extension Literal {
  /// The value where no type is declared, if all of it is known.
  var knownValue: Value? { isKnown ? try? value { _ in .none } : nil }

  /// True where no part of it stands for a value that is known later.
  var isKnown: Bool {
    switch self {
    case .bare, .text: true
    case .lua, .variable, .composed: false
    case .list(let elements): elements.allSatisfy(\.isKnown)
    case .record(let fields): fields.allSatisfy(\.value.isKnown)
    }
  }
}
