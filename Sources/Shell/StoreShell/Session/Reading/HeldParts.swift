import ShellLanguage
import StoreSchema

/// The types of the parts of the state that variables hold: `let t = state.tasks` makes a copy. It has the fields of its type as
/// long as Lua only reads it; what Lua may have changed is forgotten.
struct HeldParts {
  private var types: [String: Schema] = [:]
  /// The names in functions, which may change what they hold whenever they are called.
  private var namesInFunctions: Set<String> = []
  /// True if Lua may change any of them, whatever its text says.
  private var isAny = false

  /// What a text of Lua may do with a variable.
  private enum Conduct {
    /// It reads it.
    case reads
    /// It may set it, or a part of it.
    case writes
    /// It may set any, also of names that it does not say.
    case writesAny
  }

  /// The error of the first field that a text reads of such a variable and its type does not have; nil: there is none, or the text gives the
  /// names another meaning.
  func missingField(inLua text: String) -> ShellError? {
    guard !types.isEmpty else { return nil }
    let bytes = Array(text.utf8)[...]
    guard Self.conduct(of: bytes) == .reads else { return nil }
    for use in LuaUse.all(of: Set(types.keys), in: bytes) {
      guard case .missing(let name, let path, let fields)? = types[use.name]?.reached(by: use.steps, from: use.name)
      else { continue }
      return ShellError(
        code: .unknownVariable, message: "\(path) has no field '\(name)'",
        hint: Suggestion.nearest(to: name, among: fields).map { "did you mean '\($0)'?" }
          ?? "it has \(fields.joined(separator: ", "))")
    }
    return nil
  }

  /// The same, with none of them known.
  private var forgettingAll: HeldParts {
    var parts = self
    parts.types = [:]
    return parts
  }

  /// Notes what a text of Lua may do.
  private mutating func note(lua text: String) {
    let bytes = Array(text.utf8)[...]
    switch Self.conduct(of: bytes) {
    case .writesAny: (types, isAny) = ([:], true)
    case .writes:
      let names = Set(Self.names(in: bytes))
      if names.contains("function") { namesInFunctions.formUnion(names) }
      for name in names { types[name] = nil }
    case .reads:
      guard !types.isEmpty else { return }
      for use in LuaUse.all(of: Set(types.keys), in: bytes) where !isRead(use, in: bytes) { types[use.name] = nil }
    }
  }

  /// Notes that a variable is set to an expression.
  ///
  /// - Parameter type: the type of the part of the state that some steps lead to; nil: there is none.
  private mutating func note(_ name: String, set expression: String, _ type: ([LuaUse.Step]) -> Schema?) {
    let bytes = Array(LuaText.trimmed(Array(expression.utf8)[...]).utf8)[...]
    let uses = LuaUse.all(of: Set(types.keys).union(["state"]), in: bytes)
    var held: Schema?
    if let use = uses.first, use.range == bytes.indices {
      if use.name == "state" {
        held = type(use.steps)
      } else if case .type(let type)? = types[use.name]?.reached(by: use.steps, from: use.name) {
        held = type
      }
    }
    types[name] = isAny || namesInFunctions.contains(name) ? nil : held
  }

  /// True if a use hands no table on, which others could change: it is all of the text, its length is taken, or it is no table.
  private func isRead(_ use: LuaUse, in bytes: ArraySlice<UInt8>) -> Bool {
    if bytes[..<use.range.lowerBound].last == UInt8(ascii: "#") { return true }
    let isAll =
      bytes[..<use.range.lowerBound].allSatisfy(\.isBlankOrNewline)
      && bytes[use.range.upperBound...].allSatisfy(\.isBlankOrNewline)
    if isAll { return true }
    guard case .type(let type)? = types[use.name]?.reached(by: use.steps, from: use.name) else { return false }
    switch type.kind {
    case .bool, .int, .double, .decimal, .string, .choice: return true
    case .optional, .list, .map, .record, .union, .any: return false
    }
  }

  /// The names in a text, keywords included.
  private static func names(in bytes: ArraySlice<UInt8>) -> [String] {
    var names: [String] = []
    each(in: bytes) { word in
      names.append(word)
    } sign: { _ in
    }
    return names
  }

  private static func conduct(of bytes: ArraySlice<UInt8>) -> Conduct {
    var conduct = Conduct.reads
    each(in: bytes) { word in
      switch word {
      // Others take a closer look than this.
      case "function", "local", "for", "pcall", "xpcall", "goto": if conduct == .reads { conduct = .writes }
      case "command", "load", "loadfile", "dofile", "require", "_G", "_ENV", "rawset", "setmetatable", "debug":
        conduct = .writesAny
      default: break
      }
    } sign: { position in
      guard bytes[position] == UInt8(ascii: "="), conduct == .reads else { return }
      let (before, after) = (bytes[..<position].last, bytes[(position + 1)...].first)
      // `==`, `~=`, `<=` and `>=` compare.
      guard after != UInt8(ascii: "="), !"=~<>".utf8.contains(where: { $0 == before }) else { return }
      conduct = .writes
    }
    return conduct
  }

  /// Goes through the words and the signs of a text, outside of its strings and comments.
  private static func each(in bytes: ArraySlice<UInt8>, word: (String) -> Void, sign: (Int) -> Void) {
    var position = bytes.startIndex
    while position < bytes.endIndex {
      switch LuaText.piece(in: bytes, at: position) {
      case .skipped(let end), .comment(let end): position = end
      case .unfinished: return
      case .code:
        let name = bytes[position...].prefix { $0.isNameByte }
        if name.isEmpty {
          sign(position)
          position += 1
        } else {
          word(String(decoding: name, as: UTF8.self))
          position = name.endIndex
        }
      }
    }
  }
}

extension HeldParts {
  /// What is known of them behind a line.
  ///
  /// - Parameter mayFail: true if the line may have done a part of what it says.
  func behind(
    _ statement: Statement, _ definition: CommandDefinition?, mayFail: Bool, in session: Session
  ) -> HeldParts {
    var parts = self
    // An alias or the like.
    guard let definition else { return parts.forgettingAll }
    for literal in statement.words.compactMap(\.value) + [statement.redirection?.target].compactMap({ $0 }) {
      for case .lua(let expression) in literal.references { parts.note(lua: expression) }
    }
    if let lua = statement.lua?.text, definition.lua?.isLua == true {
      parts.note(lua: lua)
      if definition === CommandDefinition.let, let name = statement.words.dropFirst().first?.text {
        parts.note(name, set: lua) { session.type(ofState: $0) }
      }
    }
    let isUnknown = mayFail || definition.defines == .anything && definition !== CommandDefinition.lua
    return isUnknown ? parts.forgettingAll : parts
  }
}

extension Session {
  /// The types of the parts of the state that variables hold when a line runs, which may be only looked at so far.
  var heldParts: HeldParts { running.foreseen?.heldParts ?? names.heldParts }

  /// The type of the part of the state that steps lead to; nil: there is none, or none that is declared.
  fileprivate func type(ofState steps: [LuaUse.Step]) -> Schema? {
    guard case .field(let name)? = steps.first, name != "shell",
      let schema = store.modules.first(where: { $0.name == name })?.schema,
      case .type(let type) = schema.reached(by: steps.dropFirst(), from: name)
    else { return nil }
    return type
  }
}
