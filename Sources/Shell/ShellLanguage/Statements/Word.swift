import StoreSchema

/// A word of a statement as the scanner finds it: its kind, and the places of its parts among the statement's bytes.
package struct Token: Sendable {
  package enum Kind: UInt8 {
    case value, named, flag
  }

  enum Form: UInt8 {
    /// A flag without one.
    case none
    /// The bytes themselves.
    case bare
    /// The bytes themselves, which stood in quotes.
    case text
    /// One of the statement's literals.
    case literal
  }

  package internal(set) var kind = Kind.value
  var form = Form.none
  private var start: Int32
  private var end: Int32 = 0
  private var nameStart: Int32 = 0
  private var nameEnd: Int32 = 0
  private var valueStart: Int32 = 0
  private var valueEnd: Int32 = 0
  /// The index of the value among the statement's literals.
  var literal: Int32 = 0

  /// True for a value of its own that stood in no quotes.
  var isBareValue: Bool { kind == .value && form == .bare }

  init(at start: Int) { self.start = Int32(truncatingIfNeeded: start) }

  /// A word that begins at a position among the bytes of its statement.
  @inline(__always)
  init(_ word: ByteView.PlainWord, at start: Int) {
    // The places of a word in a view, as numbers behind its first byte, are those in the statement behind `start`.
    let first = Int32(truncatingIfNeeded: word.begin - start)
    func place(_ position: Int) -> Int32 { Int32(truncatingIfNeeded: position) - first }
    (self.start, end) = (Int32(truncatingIfNeeded: start), place(word.end))
    if word.nameEnd > word.begin { (kind, nameStart, nameEnd) = (.named, self.start, place(word.nameEnd)) }
    (valueStart, valueEnd) = (place(word.value), place(word.valueEnd))
    form = word.isQuoted ? .text : .bare
  }

  /// Moves it to another place, with a longer value.
  @inline(__always)
  fileprivate mutating func shift(by count: Int, growth: Int) {
    let (count, growth) = (Int32(truncatingIfNeeded: count), Int32(truncatingIfNeeded: growth))
    (start, nameStart, nameEnd) = (start &+ count, nameStart &+ count, nameEnd &+ count)
    (valueStart, valueEnd) = (valueStart &+ count, valueEnd &+ count &+ growth)
    end = end &+ count &+ growth
  }

  /// All of its bytes.
  var range: Range<Int> {
    get { Int(start)..<Int(end) }
    set { (start, end) = Self.narrow(newValue) }
  }
  /// The bytes of its name, where it has one.
  var name: Range<Int> {
    get { Int(nameStart)..<Int(nameEnd) }
    set { (nameStart, nameEnd) = Self.narrow(newValue) }
  }
  /// The bytes of its value, without quotes.
  var value: Range<Int> {
    get { Int(valueStart)..<Int(valueEnd) }
    set { (valueStart, valueEnd) = Self.narrow(newValue) }
  }

  private static func narrow(_ range: Range<Int>) -> (Int32, Int32) {
    (Int32(truncatingIfNeeded: range.lowerBound), Int32(truncatingIfNeeded: range.upperBound))
  }
}

/// The tokens of a statement. Most statements have few, which stand in place.
struct Tokens: Sendable {
  // No `InlineArray`: to ask one in an object for an element copies all of it.
  fileprivate var firsts = (Token(at: 0), Token(at: 0), Token(at: 0), Token(at: 0))
  private var others: [Token]?
  private(set) var count = 0
  /// True if one of them is a flag.
  private(set) var haveFlags = false
  /// The number of the form of their line; 0: it is of none.
  var form = 0

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  subscript(index: Int) -> Token {
    precondition(index >= 0 && index < count)
    return switch index {
    case 0: firsts.0
    case 1: firsts.1
    case 2: firsts.2
    case 3: firsts.3
    default: other(index - 4)
    }
  }

  @inline(never)
  fileprivate func other(_ index: Int) -> Token {
    guard let others else { preconditionFailure("there is no such token") }
    return others[index]
  }

  @inline(__always)
  mutating func append(_ token: Token) {
    switch count {
    case 0: firsts.0 = token
    case 1: firsts.1 = token
    case 2: firsts.2 = token
    case 3: firsts.3 = token
    default: appendOther(token)
    }
    count += 1
    if token.kind == .flag { haveFlags = true }
  }

  /// Takes over the tokens of others, without a count where there are few.
  @inline(__always)
  mutating func take(_ other: UnsafePointer<Tokens>) {
    firsts = other.pointee.firsts
    (count, haveFlags, form) = (other.pointee.count, other.pointee.haveFlags, other.pointee.form)
    if count > 4 { others = other.pointee.others }
  }

  /// Moves a token to another place, with a longer value.
  @inline(__always)
  mutating func shift(_ index: Int, by count: Int, growth: Int) {
    switch index {
    case 0: firsts.0.shift(by: count, growth: growth)
    case 1: firsts.1.shift(by: count, growth: growth)
    case 2: firsts.2.shift(by: count, growth: growth)
    case 3: firsts.3.shift(by: count, growth: growth)
    default: others?[index - 4].shift(by: count, growth: growth)
    }
  }

  @inline(never)
  private mutating func appendOther(_ token: Token) { if others?.append(token) == nil { others = [token] } }
}

extension Tokens {
  /// A number that two statements share whose names are the same: their verbs and first operands, flags, and names of arguments.
  ///
  /// - Parameter start: the start of the statement among the bytes.
  func names(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> UInt64 {
    hash(in: bytes, from: start) { index, token in
      switch token.kind {
      case .named: token.name
      case .flag: token.range
      case .value: index > 1 ? nil : token.range
      }
    }
  }

  /// A number that two statements share whose words are the same.
  func words(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> UInt64 {
    hash(in: bytes, from: start) { $1.range }
  }

  /// A hash over the kinds of the tokens, and over some of the bytes of each.
  @inline(__always)
  private func hash(
    in bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ part: (Int, Token) -> Range<Int>?
  ) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in 0..<count {
      let token = self[index]
      hash = (hash ^ UInt64(token.kind.rawValue)) &* 0x100_0000_01B3
      guard let range = part(index, token) else { continue }
      hash = Self.mix(
        hash,
        UnsafeRawBufferPointer(
          UnsafeBufferPointer(rebasing: bytes[(start + range.lowerBound)..<(start + range.upperBound)])))
    }
    return hash
  }

  /// Goes on with a hash over bytes, eight at a time.
  private static func mix(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var (hash, position) = (hash ^ UInt64(truncatingIfNeeded: bytes.count), 0)
    while position + 8 <= bytes.count {
      hash = (hash ^ bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
      position += 8
    }
    while position < bytes.count {
      hash = (hash ^ UInt64(bytes[position])) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
      position += 1
    }
    return hash
  }
}

/// Words of a statement, which are made of its tokens where somebody asks for one.
public struct Words: RandomAccessCollection, Sendable {
  fileprivate let content: Statement.Content
  private let first: Int
  /// The position of the first word.
  public private(set) var startIndex = 0
  /// The position behind the last word.
  public private(set) var endIndex: Int
  /// The tokens of the words, where some are left out in between.
  private var chosen: [Int]?

  init(_ content: Statement.Content, first: Int, count: Int) {
    self.content = content
    self.first = first
    endIndex = count
  }

  /// The word at a position.
  public subscript(position: Int) -> Word { Word(content, content.token(at: index(of: position))) }

  /// Some of the words, at the same positions.
  public subscript(bounds: Range<Int>) -> Words {
    precondition(bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex)
    var words = self
    (words.startIndex, words.endIndex) = (bounds.lowerBound, bounds.upperBound)
    return words
  }

  /// The words at some positions, counted from 0.
  package func choosing(_ positions: [Int]) -> Words {
    var words = self
    words.chosen = positions.map(index(of:))
    (words.startIndex, words.endIndex) = (0, positions.count)
    return words
  }

  private func index(of position: Int) -> Int {
    precondition(position >= startIndex && position < endIndex)
    return chosen?[position] ?? first + position
  }

  /// A word without its texts.
  package func token(at position: Int) -> Token { content.token(at: index(of: position)) }

  /// The value that a word gives to a type, where its bytes tell that by themselves; nil: its literal must be asked.
  package func plainValue(of word: Token, as schema: Schema) -> Value? { content.plainValue(of: word, as: schema) }
}

extension Statement.Content {
  /// A word as the scanner found it.
  // By way of its place: a call of `tokens` would be handed a copy of all of them.
  @inline(__always)
  func token(at index: Int) -> Token {
    precondition(index >= 0 && index < tokens.count)
    return switch index {
    case 0: tokens.firsts.0
    case 1: tokens.firsts.1
    case 2: tokens.firsts.2
    case 3: tokens.firsts.3
    default: tokens.other(index - 4)
    }
  }

  /// The index of the field that a word gives a value to by name; nil: it names none of them.
  @inline(__always)
  func field(of word: Token, among fields: [Field]) -> Int? {
    withBytes(word.name) { name in
      for index in fields.indices where fields[index].name.hasBytes(name) { return index }
      return nil
    }
  }

  @inline(__always)
  func plainValue(of word: Token, as schema: Schema) -> Value? {
    guard word.form == .bare || word.form == .text else { return nil }
    return withBytes(word.value) {
      schema.plainValue($0.assumingMemoryBound(to: UInt8.self), isQuoted: word.form == .text)
    }
  }
}

/// The order in which words give values to fields: by name, or to the first field that no word has given one so far.
package struct FieldOrder {
  // A set of its own for the first, since an action seldom has more.
  private var firsts: UInt64 = 0
  private var others: Set<Int>?
  private var position = 0

  package init() {}

  /// The field that a word gives a value; nil: it names none of them, or all have one.
  package mutating func field(of word: Token, in words: Words, among fields: [Field]) -> Int? {
    field(of: word, in: words.content, among: fields)
  }

  @inline(__always)
  mutating func field(of word: Token, in content: Statement.Content, among fields: [Field]) -> Int? {
    if case .named = word.kind { return content.field(of: word, among: fields) }
    while position < fields.count, isTaken(position) { position += 1 }
    return position < fields.count ? position : nil
  }

  /// True if a word has given the field a value.
  package func isTaken(_ index: Int) -> Bool {
    index < 64 ? firsts & 1 << UInt64(index) != 0 : others?.contains(index) ?? false
  }

  /// Gives a field its value.
  ///
  /// - Returns: false if it has one.
  package mutating func take(_ index: Int) -> Bool {
    guard !isTaken(index) else { return false }
    if index < 64 { firsts |= 1 << UInt64(index) } else { others = (others ?? []).union([index]) }
    return true
  }
}

/// A word of a statement and its place.
public struct Word: Sendable {
  private let content: Statement.Content
  private let token: Token

  init(_ content: Statement.Content, _ token: Token) {
    self.content = content
    self.token = token
  }

  /// The word as written, quotes and brackets included.
  public var text: String { content.text(token.range) }
  // Places are counted where an error or a listing asks for them.
  /// The line it starts on, from 0 for the statement's first line.
  public var line: Int { content.withBytes { $0[..<token.range.lowerBound].count { $0 == 0x0A } } }
  /// The character of that line that it starts at, from 1.
  public var column: Int {
    let start = token.range.lowerBound
    let lineStart = content.withBytes { $0[..<start].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0 }
    return content.characters(lineStart..<start) + 1
  }
  /// The number of characters of that line that it takes.
  public var width: Int {
    let range = token.range
    let end = content.withBytes { bytes -> Int? in
      guard let end = bytes[range].firstIndex(of: 0x0A) else { return nil }
      return end > range.lowerBound && bytes[end - 1] == 0x0D ? end - 1 : end
    }
    return content.characters(range.lowerBound..<(end ?? range.upperBound))
  }

  /// The content of the word.
  public var kind: Kind {
    switch token.kind {
    case .value: .value(value ?? .bare(""))
    case .named: .named(name: content.text(token.name), value ?? .bare(""))
    case .flag: .flag(name: content.text(token.name), value)
    }
  }

  /// The value; nil for a flag without one.
  package var value: Literal? {
    switch token.form {
    case .none: nil
    case .bare: .bare(content.text(token.value))
    case .text: .text(content.text(token.value))
    case .literal: content.rarities?.literals[Int(token.literal)]
    }
  }

  /// The kinds of words.
  public enum Kind: Sendable {
    /// A value in its own right.
    case value(Literal)
    /// `name=value`.
    case named(name: String, Literal)
    /// `--name`, or with a value `--name=value`. In `--as json` the value is the next word, which only the command that
    /// knows its flags can tell.
    case flag(name: String, Literal?)
  }

  /// The place of the whole word, for an error's caret.
  public var span: Span { Span(line: line, column: column, width: width) }

  /// The place of the name in `name=value` together with its `=`; of the whole word where it has no name. Type and range
  /// errors point here.
  public var nameSpan: Span {
    guard token.kind == .named else { return span }
    return Span(line: line, column: column, width: token.name.count + 1)
  }

  /// The place of the name in `name=value` without its `=`; of the whole word where it has no name. An argument that an
  /// action does not have is marked here.
  public var bareNameSpan: Span {
    guard token.kind == .named else { return span }
    return Span(line: line, column: column, width: token.name.count)
  }

  /// A part of a line of a statement.
  public struct Span: Hashable, Sendable {
    /// The line, from 0 for the statement's first line.
    public var line: Int
    /// The first character, from 1.
    public var column: Int
    /// The number of characters.
    public var width: Int

    /// Makes a place.
    public init(line: Int = 0, column: Int, width: Int) {
      self.line = line
      self.column = column
      self.width = width
    }
  }
}
