/// A place in a value: a Lua accessor with a few selectors of its own, such as `tasks.items[id=3].title`. Indices start
/// at 1, as in Lua.
public struct Path: Hashable, Sendable {
  /// The steps from the outermost value inwards.
  public var steps: [Step]

  /// Makes a path of steps.
  public init(_ steps: [Step] = []) { self.steps = steps }

  /// A step inwards. Extensions of other files take it one way each: along a value, in a text, in a key.
  public enum Step: Hashable, Sendable {
    /// A field of a record, a module of a store, or a map entry whose key is a name.
    case field(String)
    /// An element of a list, from 1; negative: from the end. Also a map entry with an integer key.
    case index(Int)
    /// A map entry by its text key, where the key is not a name.
    case key(MapKey)
    /// The first element of a list whose field has that value.
    case match(field: String, Value)
    /// Every element of a list or entry of a map.
    case all
  }

  /// True if the path stays in its place.
  public var isEmpty: Bool { steps.isEmpty }

  /// The path one step further in.
  public func appending(_ step: Step) -> Path { Path(steps + [step]) }

  /// A path followed by another.
  public static func + (left: Path, right: Path) -> Path { Path(left.steps + right.steps) }
}

extension Path: CustomStringConvertible {
  /// The path as users write it.
  public var description: String {
    var out: [UInt8] = []
    append(to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// Appends the path as users write it.
  package func append(to out: inout [UInt8]) { write(to: &out) }

  func write(to out: inout some ByteSink & ~Copyable) {
    // In place: a copy of a step would count references to what is in it.
    steps.withUnsafeBufferPointer { steps in
      for index in steps.indices { steps[index].write(to: &out, isFirst: index == 0) }
    }
  }
}

extension Path.Step {
  /// Appends the step as users write it: with a leading dot where it is a name and not the first.
  package func append(to out: inout [UInt8], isFirst: Bool = true) { write(to: &out, isFirst: isFirst) }

  @inline(__always)
  func write(to out: inout some ByteSink & ~Copyable, isFirst: Bool) {
    switch self {
    case .field(let name), .key(.string(let name)):
      if Self.write(name: name, isFirst: isFirst, to: &out) { return }
      out.append(UInt8(ascii: "["))
      out.bytes += ScalarText.quoted(name).utf8
      out.append(UInt8(ascii: "]"))
    case .index(let index), .key(.int(let index)):
      out.append(UInt8(ascii: "["))
      out.append(json: index)
      out.append(UInt8(ascii: "]"))
    case .match(let field, let value):
      out.append(UInt8(ascii: "["))
      Self.write(field, to: &out)
      out.append(UInt8(ascii: "="))
      switch value {
      case .int(let number): out.append(json: number)
      case .string(let text):
        out.bytes += (text.isName && Self.bareValue(text) == value ? text : ScalarText.quoted(text)).utf8
      default: JSON.append(value, to: &out.bytes)
      }
      out.append(UInt8(ascii: "]"))
    case .all: out.bytes += "[*]".utf8
    }
  }

  private static func write(_ text: String, to out: inout some ByteSink & ~Copyable) {
    guard text.utf8.withContiguousStorageIfAvailable({ out.append($0) }) == nil else { return }
    var text = text
    text.withUTF8 { out.append($0) }
  }

  /// Appends a step that is a name, as nearly all are, looking at each of its bytes once.
  ///
  /// - Returns: false: it is no name, and nothing was appended.
  @inline(__always)
  private static func write(name: String, isFirst: Bool, to out: inout some ByteSink & ~Copyable) -> Bool {
    // A copy would count a reference to it.
    let isWritten = name.utf8.withContiguousStorageIfAvailable { write(name: $0, isFirst: isFirst, to: &out) }
    if let isWritten { return isWritten }
    var name = name
    return name.withUTF8 { write(name: $0, isFirst: isFirst, to: &out) }
  }

  /// The same where the bytes of the step lie.
  static func write(
    name: UnsafeBufferPointer<UInt8>, isFirst: Bool, to out: inout some ByteSink & ~Copyable
  ) -> Bool {
    guard name.isName else { return false }
    if !isFirst { out.append(UInt8(ascii: ".")) }
    out.append(name)
    return true
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// True if the bytes are a name, as `String.isName` says.
  fileprivate var isName: Bool {
    guard let first, first < 0x30 || first > 0x39 else { return false }
    // A bit for each byte below 0x80: digits; letters and `_`.
    let (low, high): (UInt64, UInt64) = (0x03FF_0000_0000_0000, 0x07FF_FFFE_87FF_FFFE)
    for index in indices {
      let byte = self[index]
      guard byte < 0x80, (byte < 0x40 ? low : high) &>> UInt64(byte) & 1 != 0 else { return false }
    }
    return true
  }
}

extension String {
  /// True if the text is a name in paths, Lua and the command language: a letter or `_`, then letters, digits and `_`.
  public var isName: Bool {
    // A copy would count a reference to it.
    if let isName = utf8.withContiguousStorageIfAvailable({ $0.isName }) { return isName }
    var text = self
    return text.withUTF8 { $0.isName }
  }
}

extension Path {
  /// True if a change at this path changes the target of another path: the value there, a part of it, or a whole around
  /// it.
  package func lies(along wanted: Path) -> Bool {
    let shared = min(steps.count, wanted.steps.count)
    return steps.prefix(shared).elementsEqual(wanted.steps.prefix(shared)) { $0.meets($1) }
  }

  /// True if it may: as ``lies(along:)``, but an element that this path names by index may be one that the other names by its
  /// id, where ids that repeat name nothing.
  package func mayLie(along wanted: Path) -> Bool {
    let shared = min(steps.count, wanted.steps.count)
    return steps.prefix(shared).elementsEqual(wanted.steps.prefix(shared)) { step, wanted in
      if case (.index, .match) = (step, wanted) { return true }
      return step.meets(wanted)
    }
  }
}

extension Path.Step {
  /// True if a step of a change lies where a step of a filter points.
  fileprivate func meets(_ filter: Path.Step) -> Bool {
    if filter == .all || self == filter { return true }
    switch (filter, self) {
    case (.field(let name), .key(.string(let key))): return name == key
    case (.index(let index), .key(.int(let key))): return index == key
    default: return false
    }
  }
}

extension JSON {
  /// The number at a place of a JSON document, digit for digit as it is written; nil: there is none.
  public static func numberText(at path: Path, of bytes: Span<UInt8>) -> String? {
    bytes.withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      return try? reader.numberText(at: path.steps[...])
    }
  }
}

extension JSONReader {
  /// Reads the value and gives the number at a place within it as it is written; nil: there is none.
  mutating func numberText(at steps: ArraySlice<Path.Step>) throws(JSONError) -> String? {
    skipSpace()
    var found: String?
    switch (steps.first, peek) {
    case (nil, let byte?) where byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
      return try numberText()
    case (.field(let name), UInt8(ascii: "{")), (.key(.string(let name)), UInt8(ascii: "{")):
      try members { (reader, member, _) throws(JSONError) in
        if member == name {
          found = try reader.numberText(at: steps.dropFirst())
        } else {
          _ = try reader.value()
        }
      }
    case (.index(let index), UInt8(ascii: "[")):
      var number = 0
      try elements { (reader) throws(JSONError) in
        number += 1
        if number == index {
          found = try reader.numberText(at: steps.dropFirst())
        } else {
          _ = try reader.value()
        }
      }
    default: _ = try value()
    }
    return found
  }
}
