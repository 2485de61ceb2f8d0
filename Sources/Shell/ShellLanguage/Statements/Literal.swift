import StoreSchema

/// The content of a word where a value may stand, before the expected type is known.
///
/// There is one language for all commands. In double quotes and in words without quotes `$name`, `${name}` and `$(…)` stand for
/// values; in single quotes, and in quotes within brackets, they mean themselves.
public enum Literal: Sendable {
  /// A word without quotes: a number, `true`, `false`, `nil`, `null`, an enum case, a duration, a path or plain text.
  case bare(String)
  /// Text that stood in quotes, without them and with its escapes read.
  case text(String)
  /// `[1, 2]`, or in Lua's spelling `{1, 2}`.
  case list([Literal])
  /// `{a = 1}` or `{"a": 1}`, fields in the order in which they are written; no name stands twice.
  case record([(name: String, value: Literal)])
  /// `$(expression)`: the Lua between the parentheses, verbatim.
  case lua(String)
  /// `$name`: the name, which may be all digits (`$1`) or `_`.
  case variable(String)
  /// Text around values, as in `"Deploy $1"` or `app-$n`.
  case composed(Composition)
}

/// A text that is put together when its statement runs: pieces of text, and values as text.
public struct Composition: Sendable {
  /// The pieces, in their order.
  public let pieces: [Piece]
  /// True for a text in quotes; a word without quotes is read as if it had been written with its values.
  public let isQuoted: Bool

  /// A piece of the text.
  public enum Piece: Hashable, Sendable {
    case text(String)
    /// A variable or a Lua expression. It may be the whole of a selector of a path, as in `items[id=$n]`.
    case value(Reference, isSelector: Bool)
  }

  package init(_ pieces: [Piece], isQuoted: Bool) {
    self.pieces = pieces
    self.isQuoted = isQuoted
  }

  /// The same text with other pieces.
  package func replacing(_ replacement: (Piece) throws -> Piece) rethrows -> Composition {
    Composition(try pieces.map(replacement), isQuoted: isQuoted)
  }
}

/// A part of a literal that needs someone who knows variables and Lua.
public enum Reference: Hashable, Sendable {
  /// A variable's name.
  case variable(String)
  /// A Lua expression.
  case lua(String)

  /// The reference as it is written.
  package var text: String {
    switch self {
    case .variable(let name): "$\(name)"
    case .lua(let expression): "$(\(expression))"
    }
  }

  /// The advice where it stands for nil and a value is needed.
  package var hintOnNothing: String {
    let inner =
      switch self {
      case .variable(let name): name
      case .lua(let expression): expression
      }
    return "$(\(inner) or \"x\") is x instead of nil"
  }
}

extension Literal {
  /// True for text without quotes.
  var isBareText: Bool {
    switch self {
    case .bare: true
    case .composed(let text): !text.isQuoted
    default: false
    }
  }

  /// The variables and Lua expressions in it, from left to right.
  package var references: [Reference] {
    switch self {
    case .bare, .text: []
    case .variable(let name): [.variable(name)]
    case .lua(let expression): [.lua(expression)]
    case .list(let elements): elements.flatMap(\.references)
    case .record(let fields): fields.flatMap(\.value.references)
    case .composed(let text):
      text.pieces.compactMap { if case .value(let reference, _) = $0 { reference } else { nil } }
    }
  }
}

extension Literal {
  /// The value where no type is declared. A bare `true`, `false`, `nil`, `null`, integer or number is one; all other
  /// bare words are text, and so is a duration. Records become maps.
  ///
  /// - Parameter resolve: gives the value of a variable or of a Lua expression, which keeps its type.
  /// - Throws: Any error of `resolve`, for a value within a text that is no text, too; and `SchemaError` for digits that no number
  ///   holds.
  public func value(resolving resolve: (Reference) throws -> Value) throws -> Value {
    switch self {
    case .bare(let word):
      let value = Literal.untyped(word)
      if case .double(let number) = value, number.isInfinite {
        let bounds = "a number from -1.8e308 to 1.8e308 or a text in quotes"
        throw SchemaError(Path(), .outOfRange(bounds: bounds, found: word))
      }
      return value
    case .text(let text): return .string(text)
    case .list(let elements):
      return .list(PersistentList(try elements.map { try $0.value(resolving: resolve) }))
    case .record(let fields):
      return .map(PersistentMap(try fields.map { (.string($0.name), try $0.value.value(resolving: resolve)) }))
    case .lua(let expression): return try resolve(.lua(expression))
    case .variable(let name): return try resolve(.variable(name))
    case .composed(let text): return try text.literal(resolve).value(resolving: resolve)
    }
  }

  /// The value as a declared type reads it. A bare word is text where text is declared, a number where a number is, and
  /// so on inwards. The result has passed `schema.check`.
  ///
  /// - Parameters:
  ///   - schema: the declared type. For an optional type a bare `nil` or `null` is none, and messages name the type
  ///     inside.
  ///   - resolve: gives the value of a variable or of a Lua expression, which keeps its type.
  /// - Throws: `SchemaError`, its path relative to the value, and what `resolve` throws.
  public func value(as schema: Schema, resolving resolve: (Reference) throws -> Value) throws -> Value {
    if case .composed(let text) = self { return try text.literal(resolve).value(as: schema, resolving: resolve) }
    var target = schema
    while case .optional(let wrapped) = target.kind {
      if isNil { return .none }
      target = wrapped
    }
    let value = try shaped(for: target, resolve)
    if case .none = value, case .optional = schema.kind { return .none }
    return try target.check(value)
  }

  /// True if the literal is a bare `nil` or `null`.
  public var isNil: Bool {
    guard case .bare(let word) = self else { return false }
    return word == "nil" || word == "null"
  }

  /// The value in the shape that the type asks for, so far as the words allow; `Schema.check` has the last word.
  private func shaped(for schema: Schema, _ resolve: (Reference) throws -> Value) throws -> Value {
    switch (self, schema.kind) {
    case (.composed(let text), _): return try text.literal(resolve).shaped(for: schema, resolve)
    case (.lua, _), (.variable, _), (_, .any): return try value(resolving: resolve)
    case (_, .optional(let wrapped)): return isNil ? .none : try shaped(for: wrapped, resolve)
    case (.bare(let word), _): return Literal.typed(word, schema)
    // As JSON writes the numbers that it has no digits for.
    case (.text(let text), .double) where ["inf", "-inf", "nan"].contains(text): return Literal.typed(text, schema.kind)
    case (.text(let text), _): return .string(text)
    case (.list(let elements), .list(let element)):
      return .list(PersistentList(try elements.map { try $0.shaped(for: element, resolve) }))
    case (.list(let elements), .map(.int, let element)):
      return .list(PersistentList(try elements.map { try $0.shaped(for: element, resolve) }))
    case (.record(let fields), .record(let record)):
      return try Literal.entries(fields, among: record.fields, resolve)
    case (.record(let fields), .map(let keys, let element)):
      return .map(
        PersistentMap(
          try fields.map { field in
            (keys.spelling(of: .string(field.name)), try field.value.shaped(for: element, resolve))
          }))
    case (.record(let fields), .union(let union)):
      return .map(
        PersistentMap(
          try fields.map { field in
            guard let index = union.index(of: field.name), case .record(let payload) = field.value else {
              return (.string(field.name), try field.value.value(resolving: resolve))
            }
            return (.string(field.name), try Literal.entries(payload, among: union.cases[index].fields, resolve))
          }))
    case (.list, _), (.record, _): return try value(resolving: resolve)
    }
  }

  private static func entries(
    _ given: [(name: String, value: Literal)], among fields: [Field], _ resolve: (Reference) throws -> Value
  ) throws -> Value {
    .map(
      PersistentMap(
        try given.map { entry in
          guard let field = fields.first(where: { $0.name == entry.name }) else {
            return (.string(entry.name), try entry.value.value(resolving: resolve))
          }
          return (.string(entry.name), try entry.value.shaped(for: field.schema, resolve))
        }))
  }

  private static func untyped(_ word: String) -> Value {
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "nil", "null": return .none
    default:
      guard word.looksLikeANumber else { return .string(word) }
      if let number = Int(word) { return .int(number) }
      return Double(word).map { .double($0) } ?? .string(word)
    }
  }

  /// The value of a word where a scalar is declared. A number is read by its digits where the type does so, since a `Double`
  /// may not hold all of them.
  package static func typed(_ word: String, _ schema: Schema) -> Value {
    let value = typed(word, schema.kind)
    guard case .double = value, schema.isReadByItsType else { return value }
    do throws(SchemaError) {
      return try schema.check(.string(word))
    } catch {
      if case .outOfRange = error.problem { return .string(word) }
      return value
    }
  }

  /// The value of a word where a scalar of that kind is declared; text where it is none of that kind.
  private static func typed(_ word: String, _ kind: Schema.Kind) -> Value {
    switch kind {
    case .string, .choice: return .string(word)
    case _ where word == "nil" || word == "null": return .none
    case .int:
      // A number of the wrong kind is reported as a number, another word as text.
      return word.looksLikeANumber ? untyped(word) : .string(word)
    case .double:
      // Digits that no number holds are not what `inf` says.
      if word.looksLikeANumber, let number = Double(word), number.isFinite { return .double(number) }
      // As they are shown, and as Lua writes them.
      switch word {
      case "inf", "1/0": return .double(.infinity)
      case "-inf", "-1/0": return .double(-.infinity)
      case "nan", "0/0": return .double(.nan)
      default: return .string(word)
      }
    case .bool:
      switch word {
      case "true": return .bool(true)
      case "false": return .bool(false)
      default: return .string(word)
      }
    default: return .string(word)
    }
  }
}

extension Composition {
  /// The word that stands there once the values are known.
  fileprivate func literal(_ resolve: (Reference) throws -> Value) throws -> Literal {
    let text = try text(resolving: resolve)
    return isQuoted ? .text(text) : .bare(text)
  }
}

extension String {
  /// True if the text begins with a zero and another digit behind it, as keys do and numbers do not.
  package var hasLeadingZero: Bool {
    let digits = utf8.drop { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }.prefix(2)
    return digits.count == 2 && digits.first == UInt8(ascii: "0")
      && digits.last.map { (0x30...0x39).contains($0) } ?? false
  }

  /// True if the text starts as a number does, so that `inf`, `nan` and hexadecimal floats stay words.
  package var looksLikeANumber: Bool {
    var digits = false
    var isFirst = true
    for byte in utf8 {
      defer { isFirst = false }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits = true
      case UInt8(ascii: "+"), UInt8(ascii: "-"):
        if !isFirst, !digits { return false }
      case UInt8(ascii: "."): break
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard digits else { return false }
      default: return false
      }
    }
    return digits
  }
}
