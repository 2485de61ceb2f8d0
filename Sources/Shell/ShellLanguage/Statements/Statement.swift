import StoreSchema

/// A statement of the command language: the bytes of its lines, with a token for each word. Texts are made where somebody asks.
public struct Statement: Sendable {
  /// The number of its first line in its file, from 1.
  public private(set) var line: Int
  /// The number of words in front that are left out.
  private var first = 0
  // One reference: a statement is handed from call to call.
  package let content: Content

  /// The number of the form of its line, which lines that differ in nothing but plain values share; nil: it is of none that is known.
  package var form: Int? { first == 0 && content.tokens.form > 0 ? content.tokens.form : nil }

  /// The statement as written, from the start of its first line to the end of its last.
  public var text: String { content.description }
  /// The words, the verb first; never empty. A Lua verb has the words before its Lua and the flags behind it.
  public var words: Words { Words(content, first: first, count: content.tokens.count - first) }
  package var wordCount: Int { content.tokens.count - first }
  /// The position of the first word among some names; nil: it is none of them.
  package func verb(among names: NamePositions) -> Int? {
    content.withBytes(content.token(at: first).range) { names[$0] }
  }
  package func words(behind count: Int) -> Words {
    Words(content, first: first + count, count: content.tokens.count - first - count)
  }
  /// The Lua of a Lua verb, perhaps empty; nil for other verbs.
  public var lua: LuaTail? { content.rarities?.lua }
  /// The other place that the result goes to.
  public var redirection: Redirection? { content.rarities?.redirection }

  /// True if a word is a flag.
  package var hasFlags: Bool { content.tokens.haveFlags }
  /// True if there is more than words whose bytes are their values: brackets, variables, Lua, or another place for the result.
  package var isMoreThanWords: Bool { content.rarities != nil }

  /// The statement as a plain line, handed out while its bytes stand still; it must be no more than words.
  package func withPlainLine<Result>(_ body: (PlainLine) -> Result) -> Result {
    content.withBytes { body(PlainLine($0, content.tokens, from: 0)) }
  }

  /// A text that nobody has read, as errors show it: it has no words.
  package init(unread text: String, line: Int) {
    let bytes = Array(text.utf8)
    self.init(line: line, content: Content(bytes, 0..<bytes.count, tokens: Tokens(), rarities: nil))
  }

  init(line: Int, content: Content) {
    self.line = line
    self.content = content
  }

  package final class Content: CustomStringConvertible, @unchecked Sendable {
    // Safe: changed only by a reader of statements that alone refers to it.
    /// The text that its lines are a part of, as it was read: a part of its own would be a copy.
    private let source: [UInt8]
    @exclusivity(unchecked) private var start: Int
    @exclusivity(unchecked) private var end: Int
    @exclusivity(unchecked) var tokens: Tokens
    let rarities: Rarities?

    /// - Parameter bytes: the bytes of its lines, which are UTF-8.
    init(_ source: [UInt8], _ bytes: Range<Int>, tokens: Tokens, rarities: Rarities?) {
      precondition(bytes.lowerBound >= 0 && bytes.upperBound <= source.count)
      (self.source, start, end) = (source, bytes.lowerBound, bytes.upperBound)
      self.tokens = tokens
      self.rarities = rarities
    }

    /// The same with other rarities.
    init(_ other: Content, rarities: Rarities?) {
      (source, start, end) = (other.source, other.start, other.end)
      tokens = other.tokens
      self.rarities = rarities
    }

    /// Has it be other lines of the same text.
    func move(to bytes: Range<Int>) {
      precondition(bytes.lowerBound >= 0 && bytes.upperBound <= source.count)
      (start, end) = (bytes.lowerBound, bytes.upperBound)
    }

    /// True if its lines are a part of that text.
    func isOf(_ text: [UInt8]) -> Bool {
      source.withUnsafeBufferPointer { own in
        text.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
      }
    }

    /// Hands out the bytes of its lines.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
      source.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
    }

    /// Hands out some of them.
    @inline(__always)
    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      withBytes { body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: $0[range]))) }
    }

    /// The statement as written.
    package var description: String { text(0..<(end - start)) }

    /// The number of characters that some of the bytes are.
    func characters(_ range: Range<Int>) -> Int { withBytes { ByteView($0).characters(range) } }

    func text(_ range: Range<Int>) -> String { withBytes { ByteView($0).text(range) } }
  }

  /// The parts that few statements have.
  final class Rarities: Sendable {
    /// The values of the tokens that stand for more than their bytes.
    let literals: [Literal]
    let lua: LuaTail?
    let redirection: Redirection?

    private init(literals: [Literal], lua: LuaTail?, redirection: Redirection?) {
      (self.literals, self.lua, self.redirection) = (literals, lua, redirection)
    }

    /// - Returns: nil where there is none of them.
    static func of(literals: [Literal], lua: LuaTail?, redirection: Redirection?) -> Rarities? {
      if literals.isEmpty, lua == nil, redirection == nil { return nil }
      return Rarities(literals: literals, lua: lua, redirection: redirection)
    }
  }

  /// The statement as it stands on another line.
  package func numbered(_ line: Int) -> Statement {
    var statement = self
    statement.line = line
    return statement
  }

  /// The command behind a number of words, as in `try COMMAND`; text and places still refer to the whole. Nil where no
  /// word is left.
  public func droppingWords(_ count: Int) -> Statement? {
    guard count < words.count else { return nil }
    var statement = self
    statement.first += count
    return statement
  }

  /// The statement with its result left where results go.
  package var withoutRedirection: Statement {
    guard redirection != nil else { return self }
    var statement = Statement(
      line: line,
      content: Content(
        content, rarities: .of(literals: content.rarities?.literals ?? [], lua: lua, redirection: nil)))
    statement.first = first
    return statement
  }
}

extension Statement {
  /// The position of the word behind the verb among some names; nil: it is none of them, or there is none.
  package func operand(among names: NamePositions) -> Int? {
    wordCount < 2 ? nil : content.withBytes(content.token(at: first + 1).range) { names[$0] }
  }
}

/// The fields that the words of a form give values to.
package struct PlainFields: Sendable {
  /// Of each word behind the first operand, the field.
  fileprivate let fields: [Int]
  /// The fields that have their defaults.
  fileprivate let absent: [Int]
}

extension Statement {
  /// The fields that its words behind the first operand give values to; nil: they take a closer look, or one of them is at fault.
  package func plainFields(_ fields: [Field]) -> PlainFields? {
    guard wordCount > 1 else { return nil }
    var order = FieldOrder()
    var found: [Int] = []
    for place in (first + 2)..<content.tokens.count {
      let word = content.token(at: place)
      guard word.kind != .flag, let index = order.field(of: word, in: content, among: fields), order.take(index)
      else { return nil }
      found.append(index)
    }
    return PlainFields(fields: found, absent: fields.indices.filter { !order.isTaken($0) })
  }

  /// The values that its words give to fields, with defaults, where those of a statement of its form belong; nil: a word takes a
  /// closer look, or is at fault.
  package func plainArguments(_ fields: [Field], _ places: PlainFields) -> [Value]? {
    var values = [Value].absent(fields.count)
    for index in places.fields.indices {
      let field = places.fields[index]
      // Unmanaged: the field has its type.
      let value = Unmanaged.passUnretained(fields[field].schema)._withUnsafeGuaranteedRef {
        content.plainValue(of: content.token(at: first + 2 + index), as: $0)
      }
      guard let value else { return nil }
      values[field] = value
    }
    for index in places.absent {
      guard let value = try? fields[index].check(nil) else { return nil }
      values[index] = value
    }
    return values
  }
}

/// The rest of a Lua verb's line, and the lines that continue it.
public struct LuaTail: Sendable {
  /// The Lua, verbatim; a `\` that continued a line has become a space.
  public let text: String
  /// The place where it starts; as wide as its first line.
  public let span: Word.Span

  /// Makes the Lua of a statement.
  public init(text: String, span: Word.Span) {
    self.text = text
    self.span = span
  }

  /// The Lua and the comment that ends it, as `assert EXPR -- MESSAGE` reads them; both without blanks around them. The
  /// message is nil where there is no comment.
  public var splittingComment: (lua: String, message: String?) {
    let bytes = Array(text.utf8)
    guard let start = LuaText.lastLineComment(in: bytes[...]) else { return (LuaText.trimmed(bytes[...]), nil) }
    return (LuaText.trimmed(bytes[..<start]), LuaText.trimmed(bytes[(start + 2)...]))
  }
}

/// The place that a command's result goes to instead of standard output.
public struct Redirection: Sendable {
  /// The kind of redirection.
  public let kind: Kind
  /// The file's name; for a command its text.
  public let target: Literal
  /// The place of the sign and what follows it.
  public let span: Word.Span

  /// The kinds of redirection.
  public enum Kind: Hashable, Sendable {
    /// `> file`: replaces the file.
    case file
    /// `>> file`: goes to its end.
    case append
    /// `| command`: becomes the input of a shell command.
    case command
  }

  /// Makes a redirection.
  public init(kind: Kind, target: Literal, span: Word.Span) {
    self.kind = kind
    self.target = target
    self.span = span
  }
}

extension Statement {
  /// The place of a name of Lua; nil where the text has it not once as a word of its own.
  package func span(ofName name: String) -> Word.Span? {
    func isName(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false }
    var found: Word.Span?
    for (number, line) in lines.enumerated() {
      for range in line.ranges(of: name) {
        let before = line[..<range.lowerBound].last
        guard before != ".", !isName(before), !isName(line[range.upperBound...].first) else { continue }
        guard found == nil else { return nil }
        let column = line.distance(from: line.startIndex, to: range.lowerBound) + 1
        found = Word.Span(line: number, column: column, width: name.count)
      }
    }
    return found
  }

  /// True if a `>` stands right before a place.
  package func isBehindSign(_ span: Word.Span) -> Bool {
    lines[span.line].prefix(span.column - 1).last { $0 != " " } == ">"
  }

  /// The text of one of its lines, from 0; nil: it has none of that number.
  package func line(_ number: Int) -> String? {
    let lines = lines
    return lines.indices.contains(number) ? String(lines[number]) : nil
  }

  // To Swift, "\r\n" is one character, not a "\n".
  private var lines: [Substring] { text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" } }
}

extension LuaTail {
  /// What follows a last `>` and looks like a file: one word that is no number.
  package var fileBehindSign: String? {
    guard let sign = text.lastIndex(where: { $0 == ">" }) else { return nil }
    let words = text[text.index(after: sign)...].split(separator: " ")
    guard let word = words.first, words.count == 1, Double(word) == nil,
      word.allSatisfy({ $0.isLetter || $0.isNumber || "._-/~".contains($0) })
    else { return nil }
    return String(word)
  }
}
