/// The place that an action comes from (rule R12). Lifting, projecting and mapping an action never change it (R13).
///
/// The first four fields and the idea come from SwiftRex's `ActionSource`; kind, plugin, unit and cause are ours.
public struct ActionSource: Hashable, Codable, Sendable {
  /// The file of the dispatching line: a Swift file, a script, a Lua chunk, or `repl`, `-c`, `stdin`.
  public var file: String
  /// The function around that line, or the command that dispatched.
  public var function: String
  /// The line, from 1.
  public var line: Int
  // Above 0 the cause, below 0 the statement: a source is copied several times an action, and never has both.
  @usableFromInline package var link: Int
  /// The kind of the place.
  public var kind: Kind
  // A source is copied several times an action, so what few sources have stands apart.
  @usableFromInline var details: Details?

  /// The kinds of place that actions come from.
  public enum Kind: String, Codable, Sendable {
    /// A statement typed at the prompt.
    case repl
    /// A statement of a script, of `-c` or of standard input.
    case batch
    /// A plugin's code, while an action is processed.
    case plugin
    /// An effect.
    case effect
    /// A bridge between actions.
    case bridge
    /// A replayed recording.
    case replay
    /// Another process.
    case remote
    /// Swift code.
    case code
  }

  /// Makes a source.
  @inlinable
  public init(
    file: String, function: String, line: Int, info: String? = nil, kind: Kind = .code, plugin: String? = nil,
    unit: String? = nil, cause: Int? = nil
  ) {
    self.file = file
    self.function = function
    self.line = line
    link = cause ?? 0
    self.kind = kind
    details = info == nil && plugin == nil && unit == nil ? nil : Details(info: info, plugin: plugin, unit: unit)
  }

  /// No place: what is written over before anybody asks.
  @usableFromInline static var nowhere: ActionSource { ActionSource(file: "", function: "", line: 0) }

  /// Writes the place of Swift code over another source, field by field. A source that is made first and then moved
  /// costs a copy of all of it.
  @inlinable
  @inline(__always)
  mutating func describe(file: String, function: String, line: Int, info: String?) {
    self.file = file
    self.function = function
    self.line = line
    link = 0
    kind = .code
    details = info == nil ? nil : Details(info: info, plugin: nil, unit: nil)
  }

  /// The place where this is written.
  @inlinable
  public static func here(
    info: String? = nil, file: String = #fileID, function: String = #function, line: Int = #line
  ) -> ActionSource {
    ActionSource(file: file, function: function, line: line, info: info)
  }

  /// The number of the action whose processing produced this one.
  @inlinable public var cause: Int? {
    get { link > 0 ? link : nil }
    set { link = max(newValue ?? 0, 0) }
  }

  /// The number of the first action of the statement that asked for this one; nil: it is the first itself, or alone. What another
  /// action causes has none. `undo` takes the actions of one statement back together.
  @inlinable public var statement: Int? {
    get { link < 0 ? -link : nil }
    set { link = -max(newValue ?? 0, 0) }
  }

  /// A remark by the dispatching code.
  public var info: String? {
    get { details?.info }
    set { details = Details(info: newValue, plugin: plugin, unit: unit) }
  }

  /// The plugin whose code dispatched.
  public var plugin: String? {
    get { details?.plugin }
    set { details = Details(info: info, plugin: newValue, unit: unit) }
  }

  /// The plugin's unit or command whose code dispatched.
  public var unit: String? {
    get { details?.unit }
    set { details = Details(info: info, plugin: plugin, unit: newValue) }
  }

  @usableFromInline
  final class Details: Sendable {
    let info: String?
    let plugin: String?
    let unit: String?

    @usableFromInline
    init(info: String?, plugin: String?, unit: String?) {
      self.info = info
      self.plugin = plugin
      self.unit = unit
    }
  }
}

extension ActionSource {
  private enum CodingKeys: String, CodingKey {
    case file, function, line, info, kind, plugin, unit, cause, statement
  }

  /// Reads a source; optional fields may be absent.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      file: try fields.decode(String.self, forKey: .file), function: try fields.decode(String.self, forKey: .function),
      line: try fields.decode(Int.self, forKey: .line), info: try fields.decodeIfPresent(String.self, forKey: .info),
      kind: try fields.decode(Kind.self, forKey: .kind),
      plugin: try fields.decodeIfPresent(String.self, forKey: .plugin),
      unit: try fields.decodeIfPresent(String.self, forKey: .unit),
      cause: try fields.decodeIfPresent(Int.self, forKey: .cause))
    if let first = try fields.decodeIfPresent(Int.self, forKey: .statement) { statement = first }
  }

  /// Writes a source; optional fields that are nil are left out.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(file, forKey: .file)
    try fields.encode(function, forKey: .function)
    try fields.encode(line, forKey: .line)
    try fields.encodeIfPresent(info, forKey: .info)
    try fields.encode(kind, forKey: .kind)
    try fields.encodeIfPresent(plugin, forKey: .plugin)
    try fields.encodeIfPresent(unit, forKey: .unit)
    try fields.encodeIfPresent(cause, forKey: .cause)
    try fields.encodeIfPresent(statement, forKey: .statement)
  }

  /// True if all fields are equal.
  public static func == (left: ActionSource, right: ActionSource) -> Bool {
    left.line == right.line && left.file == right.file && left.function == right.function && left.kind == right.kind
      && left.link == right.link && left.info == right.info && left.plugin == right.plugin && left.unit == right.unit
  }

  /// Feeds all fields to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(file)
    hasher.combine(function)
    hasher.combine(line)
    hasher.combine(info)
    hasher.combine(kind)
    hasher.combine(plugin)
    hasher.combine(unit)
    hasher.combine(link)
  }
}
