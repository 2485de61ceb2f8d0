import StoreSchema

extension PluginManifest {
  /// Reads a manifest.
  ///
  /// - Parameters:
  ///   - text: the bytes of `plugin.json`.
  ///   - file: the name of the file in messages.
  /// - Throws: ``PluginError`` with the place and what to write instead.
  public init(parsing text: [UInt8], file: String) throws(PluginError) {
    let value: Value
    do throws(JSONError) {
      value = try JSON.value(of: text.span)
    } catch {
      let place = TextPlace(offset: error.offset, in: text)
      throw PluginError(.load, "\(file):\(place.line):\(place.column): not JSON: \(error.message)")
    }
    guard case .map(let entries) = value else {
      throw PluginError(.load, "\(file): expected a JSON object, got \(value.described)")
    }
    var reader = ManifestReader(file: file, entries: entries)
    name = try reader.text("name")
    guard Self.isName(name) else {
      throw PluginError(
        .load,
        "\(file): \"name\" must be a lower-case letter, then letters, digits and _; got \(ScalarText.quoted(name))",
        hint: Self.name(like: name).map { "did you mean '\($0)'?" })
    }
    guard name.utf8.count <= Self.longestName else {
      throw PluginError(.load, "\(file): \"name\" has more than \(Self.longestName) letters")
    }
    guard !name.isLuaKeyword else {
      throw PluginError(
        .load, "\(file): \"name\" is a keyword of Lua: no code could write state.\(name)",
        hint: "give the plugin another name")
    }
    version = try reader.line("version")
    api = try reader.integer("api")
    summary = try reader.optionalLine("summary") ?? ""
    permissions = try reader.permissions()
    (limits, statedLimits) = try reader.limits()
    try reader.finish()
    guard PluginManifest.servedAPIs.contains(api) else {
      throw PluginError(
        .api, "\(name) needs plugin API \(api); this shell supports \(PluginManifest.servedAPIs.upperBound)")
    }
  }
}

extension PluginManifest {
  private static let longestName = 64

  /// The name nearest to a text that is none, with `_` for dashes, spaces and dots: `my_plugin` for `My-Plugin`. Nil: more
  /// than that keeps it from being one.
  public static func name(like text: String) -> String? {
    let name = text.lowercased().map { "- .".contains($0) ? "_" : String($0) }.joined()
    return isName(name) ? name : nil
  }

  /// True if a text may name a plugin: `[a-z][a-z0-9_]*`.
  public static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first >= 0x61, first <= 0x7A else { return false }
    return text.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7A || $0 >= 0x30 && $0 <= 0x39 || $0 == 0x5F }
  }
}

/// A place in a text: line and column, from 1, the column in characters.
struct TextPlace {
  let line: Int
  let column: Int

  init(offset: Int, in text: [UInt8]) {
    let before = text.prefix(offset)
    line = 1 + before.count { $0 == 0x0A }
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    column = 1 + String(decoding: before[start...], as: UTF8.self).count
  }
}

/// Takes the entries of a manifest one by one.
private struct ManifestReader {
  let file: String
  var entries: PersistentMap<MapKey, Value>

  private mutating func take(_ key: String) -> Value? {
    let value = entries[.string(key)]
    entries[.string(key)] = nil
    return value
  }

  private func wrong(_ key: String, _ expected: String, _ found: Value?) -> PluginError {
    guard let found else { return PluginError(.load, "\(file): \"\(key)\" is missing (\(expected))") }
    return PluginError(.load, "\(file): \"\(key)\" must be \(expected), got \(found.described)")
  }

  mutating func text(_ key: String) throws(PluginError) -> String {
    guard let text = try optionalText(key) else { throw wrong(key, "text", nil) }
    return text
  }

  /// Text that stands in a line with others.
  mutating func line(_ key: String) throws(PluginError) -> String {
    guard let text = try optionalLine(key) else { throw wrong(key, "text", nil) }
    return text
  }

  mutating func optionalLine(_ key: String) throws(PluginError) -> String? {
    guard let text = try optionalText(key) else { return nil }
    guard text.unicodeScalars.allSatisfy(\.staysInLine) else {
      throw wrong(key, "one line of text that can be printed", .string(text))
    }
    return text
  }

  mutating func optionalText(_ key: String) throws(PluginError) -> String? {
    guard let value = take(key) else { return nil }
    guard case .string(let text) = value else { throw wrong(key, "text", value) }
    return text
  }

  mutating func integer(_ key: String) throws(PluginError) -> Int {
    let value = take(key)
    guard case .int(let number) = value else { throw wrong(key, "a whole number", value) }
    return number
  }

  /// So many permissions a person may still look through.
  private static let maximumPermissions = 500

  mutating func permissions() throws(PluginError) -> [Permission] {
    guard let value = take("permissions") else { return [] }
    guard case .list(let list) = value else { throw wrong("permissions", "a list of texts", value) }
    guard list.count <= Self.maximumPermissions else {
      throw PluginError(
        .load, "\(file): 'permissions' must be at most \(Self.maximumPermissions) texts, got \(list.count)")
    }
    var permissions: [Permission] = []
    for item in list {
      guard case .string(let text) = item else { throw wrong("permissions", "a list of texts", item) }
      guard let permission = Permission(text) else {
        throw PluginError(
          .load, "\(file): unknown permission \(ScalarText.quoted(text))",
          hint: "permissions are read:MODULE, reduce:MODULE, dispatch:MODULE.ACTION, intercept and timers")
      }
      if !permissions.contains(permission) { permissions.append(permission) }
    }
    return permissions
  }

  /// The limits, and the names of those that are there.
  mutating func limits() throws(PluginError) -> (PluginManifest.Limits, Set<String>) {
    var (limits, stated) = (PluginManifest.Limits(), Set<String>())
    guard let value = take("limits") else { return (limits, stated) }
    guard case .map(let map) = value else { throw wrong("limits", "an object", value) }
    for (key, value) in map {
      guard case .string(let name) = key else { continue }
      stated.insert(name)
      guard let limit = PluginManifest.limits.first(where: { $0.name == name }) else {
        throw unknown("limits.\(name)", among: PluginManifest.limits.map { "limits.\($0.name)" })
      }
      let ceiling = PluginManifest.ceiling[keyPath: limit.path]
      limits[keyPath: limit.path] = limit.isSize ? try size(name, value, ceiling) : try number(name, value, ceiling)
    }
    return (limits, stated)
  }

  private func number(_ name: String, _ value: Value, _ ceiling: Int) throws(PluginError) -> Int {
    guard case .int(let number) = value, number > 0, number <= ceiling else {
      throw wrong("limits.\(name)", "a whole number in 1...\(ceiling)", value)
    }
    return number
  }

  private func size(_ name: String, _ value: Value, _ ceiling: Int) throws(PluginError) -> Int {
    guard case .string(let text) = value, let bytes = PluginManifest.bytes(text), bytes <= ceiling else {
      throw wrong("limits.\(name)", "text such as \"4MiB\", at most \(ceiling >> 20)MiB", value)
    }
    return bytes
  }

  func finish() throws(PluginError) {
    guard let entry = entries.firstEntry(after: nil), case .string(let name) = entry.key else { return }
    throw unknown(name, among: ["name", "version", "api", "summary", "permissions", "limits"])
  }

  private func unknown(_ name: String, among names: [String]) -> PluginError {
    let suggestion = Suggestion.nearest(to: name, among: names)
    return PluginError(
      .load, "\(file): unknown key \(ScalarText.quoted(name))", hint: suggestion.map { "did you mean \"\($0)\"?" })
  }
}

extension Unicode.Scalar {
  /// True if the character neither ends a line nor changes the display of its neighbours.
  fileprivate var staysInLine: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    default: !properties.isBidiControl
    }
  }
}
