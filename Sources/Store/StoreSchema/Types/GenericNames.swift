import HashTreeCollections

extension Schema {
  /// The name of a generic type with its arguments, so that two uses can be told apart: `Page<Movie>`. `@Schema` writes
  /// the calls.
  public static func name(_ name: String, of arguments: Any.Type...) -> String {
    arguments.isEmpty ? name : "\(name)<\(arguments.map(argumentName).joined(separator: ", "))>"
  }

  /// The name of a type in an extension, which does not tell whether the types around it are generic. `@Schema` writes the
  /// calls.
  public static func name(_ name: String, within type: Any.Type) -> String {
    let arguments = SwiftSpelling(of: type).arguments
    return arguments.isEmpty ? name : "\(name)<\(arguments.joined(separator: ", "))>"
  }

  /// The name of a type that is an argument of another, with the names of the types that it is declared in: `Movies.State`.
  /// Types that are described alike, as `UInt8` and `Int` are, have the names that Swift gives them.
  fileprivate static func argumentName(_ type: Any.Type) -> String {
    if let composed = type as? any ComposedName.Type { return composed.composedName }
    let spelling = SwiftSpelling(of: type)
    guard let type = type as? any Schematic.Type, let name = type.schema.ownName else { return spelling.text }
    return spelling.surroundings + name
  }

  /// The name that the type was declared with; nil: it is described by other types.
  private var ownName: String? {
    switch kind {
    case .record(let record) where normalize == nil: record.name
    case .union(let union) where normalize == nil: union.name
    case .choice(let name, _) where normalize == nil: name
    default: nil
    }
  }
}

/// A type whose name is made of the names of other types.
private protocol ComposedName {
  static var composedName: String { get }
}

extension Optional: ComposedName {
  fileprivate static var composedName: String { Schema.argumentName(Wrapped.self) + "?" }
}

extension Array: ComposedName {
  fileprivate static var composedName: String { "[\(Schema.argumentName(Element.self))]" }
}

extension PersistentList: ComposedName {
  fileprivate static var composedName: String { "[\(Schema.argumentName(Element.self))]" }
}

extension Set: ComposedName {
  fileprivate static var composedName: String { "Set<\(Schema.argumentName(Element.self))>" }
}

extension Dictionary: ComposedName {
  fileprivate static var composedName: String {
    "[\(Schema.argumentName(Key.self)): \(Schema.argumentName(Value.self))]"
  }
}

extension TreeDictionary: ComposedName {
  fileprivate static var composedName: String {
    "[\(Schema.argumentName(Key.self)): \(Schema.argumentName(Value.self))]"
  }
}

/// The name of a type as Swift spells it, without modules and without the functions that it may be declared in.
private struct SwiftSpelling {
  /// The name: `Page<Int>.Position`.
  private(set) var text = ""

  init(of type: Any.Type) {
    // A function has no name there, but an address.
    let spelling = String(reflecting: type).replacing(/\(extension in \w+\):/, with: "").split(separator: ".").filter {
      !$0.hasPrefix("(unknown context")
    }
    var word = ""
    var mayBeModule = true
    for character in spelling.joined(separator: ".") {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
      } else if character == ".", mayBeModule {
        (word, mayBeModule) = ("", false)
      } else {
        text += word
        text.append(character)
        (word, mayBeModule) = ("", character != "." && character != ">")
      }
    }
    text += word
  }

  /// The types around the type, without their arguments: `Page.` of `Page<Int>.Position`.
  var surroundings: String {
    var names = ""
    walk { character, depth in if depth == 0, character != "<" { names.append(character) } }
    return String(names[..<(names.lastIndex(of: ".").map(names.index(after:)) ?? names.startIndex)])
  }

  /// The arguments of the type and of those around it, the outermost first.
  var arguments: [String] {
    var arguments: [String] = []
    walk { character, depth in
      switch character {
      case "<" where depth == 0: arguments.append("")
      case "," where depth == 1: arguments.append("")
      case " " where arguments.last == "": break
      case _ where depth > 0: arguments[arguments.count - 1].append(character)
      default: break
      }
    }
    return arguments
  }

  /// Hands out the characters with the number of brackets that each stands in, without those that close arguments.
  private func walk(_ body: (Character, _ depth: Int) -> Void) {
    var (depth, previous) = (0, Character(" "))
    for character in text {
      let closes = character == ")" || character == "]" || character == ">" && previous != "-"
      if closes { depth -= 1 }
      if !closes || depth > 0 { body(character, depth) }
      if character == "<" || character == "(" || character == "[" { depth += 1 }
      previous = character
    }
  }
}
