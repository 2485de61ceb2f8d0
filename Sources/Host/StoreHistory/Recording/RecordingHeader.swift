import StoreSchema

/// The first line of a recording: what a replay needs to know before the first action.
///
/// A recording is a file of JSON lines: this header, then one line for each entry of the log, as ``EntryWriter`` writes
/// it. A further member `hash` has the hashes of the slices that the action changed or brought. It has ``SliceHashes/gone`` for those
/// that the action took away; an earlier program left those out.
public struct RecordingHeader: Equatable, Sendable {
  /// The value of the member `format`.
  public static let format = "stsh-recording"
  /// The version of the format that this code writes and reads; another one is refused.
  public static let version = 2

  /// The hash of all types of state and actions at the time of writing.
  public var schema: UInt64
  /// The number of entries that follow.
  public var count: Int
  /// The number of the action before the first entry; 0: the recording begins with the store.
  public var start: Int
  /// The plugins that the entries load, and those that were loaded before them.
  public var plugins: [Plugin]
  /// The plugins loaded before the first entry, in load order.
  public var loaded: [Loaded]
  /// The slices before the first entry, by module.
  public var state: Value
  /// The code of those plugins, each version once; the member is left out if there is none.
  public var code: [Code]
  /// The slices that are substates, in the order in which they were added; the member is left out if none is.
  public var substates: [String]
  /// The sequences of modules that had gone by then, each with the number that it would have given out next; the member is left out if
  /// there is none.
  public var goneSequences: [String: Int]

  /// A version of a plugin.
  public struct Plugin: Hashable, Sendable {
    /// The plugin's name.
    public let name: String
    /// Its version, as its manifest has it.
    public let version: String
    /// The folder that it was loaded from.
    public let directory: String
    /// The digest of its code.
    public let digest: String

    /// Joins the four.
    public init(name: String, version: String, directory: String, digest: String) {
      self.name = name
      self.version = version
      self.directory = directory
      self.digest = digest
    }
  }

  /// The files of a version of a plugin.
  public struct Code: Hashable, Sendable {
    /// The digest by which the plugin's version names it.
    public let digest: String
    /// The files, in the order of the digest.
    public let files: [File]

    /// Joins the two.
    public init(digest: String, files: [File]) { (self.digest, self.files) = (digest, files) }
  }

  /// A file of a plugin.
  public struct File: Hashable, Sendable {
    /// The path in the plugin's folder.
    public let path: String
    /// The content.
    public let bytes: [UInt8]

    /// Joins the two.
    public init(path: String, bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }

    /// The file as JSON has it: its text or, where that is not UTF-8, its bytes as numbers.
    fileprivate var json: Value {
      let text = String(validating: bytes, as: UTF8.self)
      return .members([
        ("path", .string(path)),
        text.map { ("text", .string($0)) } ?? ("bytes", .list(PersistentList(bytes.map { .int(Int($0)) }))),
      ])
    }

    fileprivate init(_ json: Value, _ place: String) throws(EntryError) {
      let members = try ObjectMembers(json, place, names: ["path", "text", "bytes"])
      path = try members.text("path")
      guard case .list(let numbers)? = members["bytes"] else {
        bytes = Array(try members.text("text").utf8)
        return
      }
      bytes = try numbers.map { (number) throws(EntryError) in
        guard case .int(let number) = number, let byte = UInt8(exactly: number) else {
          throw EntryError("'\(place).bytes' must be numbers from 0 to 255")
        }
        return byte
      }
    }
  }

  /// A plugin that was loaded.
  public struct Loaded: Hashable, Sendable {
    /// The plugin's name.
    public let name: String
    /// The digest of its code: which of the plugin's versions it was.
    public let digest: String
    /// The plugin's condition: `on`, `off` or `faulted`.
    public let condition: String

    /// Joins the three.
    public init(name: String, digest: String, condition: String) {
      self.name = name
      self.digest = digest
      self.condition = condition
    }
  }

  /// Makes a header.
  public init(
    schema: UInt64, count: Int, start: Int, plugins: [Plugin], loaded: [Loaded], code: [Code] = [], state: Value,
    substates: [String] = [], goneSequences: [String: Int] = [:]
  ) {
    self.schema = schema
    self.count = count
    self.start = start
    self.plugins = plugins
    self.loaded = loaded
    self.code = code
    self.state = state
    self.substates = substates
    self.goneSequences = goneSequences
  }

  /// Appends the header, without a line end.
  public func append(to out: inout [UInt8]) {
    let plugins = plugins.map { plugin in
      Value.members([
        ("name", .string(plugin.name)), ("version", .string(plugin.version)), ("directory", .string(plugin.directory)),
        ("digest", .string(plugin.digest)),
      ])
    }
    let loaded = loaded.map { plugin in
      Value.members([
        ("name", .string(plugin.name)), ("digest", .string(plugin.digest)), ("condition", .string(plugin.condition)),
      ])
    }
    var members: [(String, Value)] = [
      ("format", .string(Self.format)), ("version", .int(Self.version)),
      ("schema", .string(StableHash.text(of: schema))), ("actions", .int(count)), ("start", .int(start)),
      ("plugins", .list(PersistentList(plugins))), ("loaded", .list(PersistentList(loaded))),
    ]
    if !code.isEmpty {
      let code = code.map { version in
        Value.members([
          ("digest", .string(version.digest)), ("files", .list(PersistentList(version.files.map(\.json)))),
        ])
      }
      members.append(("code", .list(PersistentList(code))))
    }
    members.append(("state", state))
    if !substates.isEmpty { members.append(("substates", .texts(substates))) }
    if !goneSequences.isEmpty {
      let numbers = goneSequences.sorted { $0.key < $1.key }.map { ($0.key, Value.int($0.value)) }
      members.append(("goneSequences", .members(numbers)))
    }
    JSON.append(.members(members), to: &out, marksDecimals: true)
  }

  /// Reads the first line of a recording. The state is not held against any types yet.
  ///
  /// - Throws: ``EntryError``.
  public init(of bytes: UnsafeBufferPointer<UInt8>) throws(EntryError) {
    let json: Value
    do throws(JSONError) {
      var reader = JSONReader(bytes)
      json = try reader.value()
      try reader.end()
    } catch {
      throw EntryError(ForeignEncoding.fault(of: bytes) ?? Self.isNone)
    }
    guard case .map(let members) = json, members[.string("format")] == .string(Self.format) else {
      throw EntryError(Self.isNone)
    }
    if case .int(let version)? = members[.string("version")], version != Self.version {
      // The format is that of `stsh`, whichever program writes it.
      throw EntryError(
        "written by another stsh (format \(version)); this one reads format \(Self.version); with that stsh: "
          + "replay the file, then export journal FILE.stsh --as stsh")
    }
    let header = try ObjectMembers(
      json, "header",
      names: [
        "format", "version", "schema", "actions", "start", "plugins", "loaded", "code", "state", "substates",
        "goneSequences",
      ])
    guard let schema = StableHash.value(of: try header.text("schema")) else {
      throw EntryError("'header.schema' must be 16 hexadecimal digits")
    }
    self.schema = schema
    count = try header.number("actions", from: 0)
    start = try header.number("start", from: 0)
    plugins = try RecordingHeader.list(header["plugins"], "header.plugins") { (json, place) throws(EntryError) in
      let members = try ObjectMembers(json, place, names: ["name", "version", "directory", "digest"])
      return Plugin(
        name: try members.text("name"), version: try members.text("version"),
        directory: try members.text("directory"), digest: try members.text("digest"))
    }
    loaded = try RecordingHeader.list(header["loaded"], "header.loaded") { (json, place) throws(EntryError) in
      let members = try ObjectMembers(json, place, names: ["name", "digest", "condition"])
      return Loaded(
        name: try members.text("name"), digest: try members.text("digest"), condition: try members.text("condition"))
    }
    code =
      try header["code"].map { (json) throws(EntryError) in
        try RecordingHeader.list(json, "header.code") { (json, place) throws(EntryError) in
          let members = try ObjectMembers(json, place, names: ["digest", "files"])
          return Code(
            digest: try members.text("digest"),
            files: try RecordingHeader.list(members["files"], "\(place).files") { (json, place) throws(EntryError) in
              try File(json, place)
            })
        }
      } ?? []
    guard let state = header["state"], case .map = state else { throw EntryError("'header.state' must be an object") }
    self.state = state
    goneSequences = try Self.numbers(header["goneSequences"], "header.goneSequences")
    guard let names = header["substates"] else {
      substates = []
      return
    }
    substates = try RecordingHeader.list(names, "header.substates") { (json, place) throws(EntryError) in
      guard case .string(let name) = json else { throw EntryError("'\(place)' must be String, got \(json.described)") }
      return name
    }
  }

  private static let isNone = "this is no recording: its first line would be a header"

  private static func numbers(_ json: Value?, _ place: String) throws(EntryError) -> [String: Int] {
    guard let json else { return [:] }
    guard case .map(let members) = json else { throw EntryError("'\(place)' must be an object") }
    var numbers: [String: Int] = [:]
    for (key, value) in members {
      guard case .string(let name) = key, case .int(let number) = value else {
        throw EntryError("'\(place)' must have numbers, got \(value.described)")
      }
      numbers[name] = number
    }
    return numbers
  }

  private static func list<Element>(
    _ json: Value?, _ place: String, _ read: (Value, String) throws(EntryError) -> Element
  ) throws(EntryError) -> [Element] {
    guard case .list(let items)? = json else { throw EntryError("'\(place)' must be a list") }
    var elements: [Element] = []
    for item in items { elements.append(try read(item, "\(place)[\(elements.count + 1)]")) }
    return elements
  }
}
