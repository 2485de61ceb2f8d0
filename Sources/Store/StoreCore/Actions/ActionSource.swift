/// The place that an action comes from (rule R12). Lifting, projecting and mapping an action never change it (R13).
///
/// The first four fields and the idea come from SwiftRex's `ActionSource`; kind, plugin, unit and cause are ours.
public struct ActionSource: Hashable, Codable, Sendable {
  // A source is copied several times an action, so that all but the numbers is one object, which the actions of a place share.
  @usableFromInline package private(set) var origin: Origin
  /// The line, from 1.
  public var line: Int
  // Above 0 the cause, below 0 the statement: a source never has both.
  @usableFromInline package var link: Int

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
    self.init(
      Origin(file: file, function: function, kind: kind, info: info, plugin: plugin, unit: unit), line: line,
      cause: cause)
  }

  /// Makes the source of a line of an origin.
  @inlinable
  package init(_ origin: Origin, line: Int, cause: Int? = nil) {
    self.origin = origin
    self.line = line
    link = cause ?? 0
  }

  /// No place: it is written over before a unit asks for it.
  @usableFromInline static let nowhere = ActionSource(file: "", function: "", line: 0)

  /// Writes the place of Swift code over another source, whose origin stays where it is the same: actions come from one place as a
  /// rule, and none is counted.
  @inlinable
  @inline(__always)
  mutating func describe(file: String, function: String, line: Int, info: String?, _ recent: inout RecentOrigins) {
    if info != nil || !origin.isPlain(file, function, .code) {
      origin = recent.origin(file: file, function: function, kind: .code, info: info)
    }
    self.line = line
    link = 0
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

  /// The file of the dispatching line: a Swift file, a script, a Lua chunk, or `repl`, `-c`, `stdin`.
  @inlinable public var file: String {
    get { origin.file }
    set { replace(file: newValue) }
  }

  /// The function around that line, or the command that dispatched.
  @inlinable public var function: String {
    get { origin.function }
    set { replace(function: newValue) }
  }

  /// The kind of the place.
  @inlinable public var kind: Kind {
    get { origin.kind }
    set { replace(kind: newValue) }
  }

  /// A remark by the dispatching code.
  @inlinable public var info: String? {
    get { origin.info }
    set { replace(info: .some(newValue)) }
  }

  /// The plugin whose code dispatched.
  @inlinable public var plugin: String? {
    get { origin.plugin }
    set { replace(plugin: .some(newValue)) }
  }

  /// The plugin's unit or command whose code dispatched.
  @inlinable public var unit: String? {
    get { origin.unit }
    set { replace(unit: .some(newValue)) }
  }

  /// Moves the source to another origin, which differs in what is given.
  @usableFromInline
  mutating func replace(
    file: String? = nil, function: String? = nil, kind: Kind? = nil, info: String?? = nil, plugin: String?? = nil,
    unit: String?? = nil
  ) {
    origin = Origin(
      file: file ?? origin.file, function: function ?? origin.function, kind: kind ?? origin.kind,
      info: info ?? origin.info, plugin: plugin ?? origin.plugin, unit: unit ?? origin.unit)
  }
}

extension ActionSource {
  /// The place of actions but for the line: one object for all actions that come from there.
  @usableFromInline
  package final class Origin: Hashable, Sendable {
    @usableFromInline package let file: String
    @usableFromInline package let function: String
    @usableFromInline package let kind: Kind
    // Few origins have any of these.
    @usableFromInline let details: Details?

    /// A remark by the dispatching code.
    @inlinable package var info: String? { details?.info }
    /// The plugin whose code dispatches.
    @inlinable package var plugin: String? { details?.plugin }
    /// The plugin's unit or command whose code dispatches.
    @inlinable package var unit: String? { details?.unit }

    /// Makes an origin.
    @inlinable
    package init(
      file: String, function: String, kind: Kind, info: String? = nil, plugin: String? = nil, unit: String? = nil
    ) {
      self.file = file
      self.function = function
      self.kind = kind
      details = info == nil && plugin == nil && unit == nil ? nil : Details(info: info, plugin: plugin, unit: unit)
    }

    /// True if these are all of its fields.
    @inlinable
    @inline(__always)
    func isPlain(_ file: String, _ function: String, _ kind: Kind) -> Bool {
      self.function.utf8.count == function.utf8.count && self.function == function && self.file == file
        && self.kind == kind && details == nil
    }

    /// True if the origins are one, or have the same fields.
    @inlinable
    package static func == (left: Origin, right: Origin) -> Bool { left === right || left.isEqual(to: right) }

    @usableFromInline
    func isEqual(to other: Origin) -> Bool {
      kind == other.kind && function == other.function && file == other.file
        && (details === other.details || info == other.info && plugin == other.plugin && unit == other.unit)
    }

    /// Feeds all fields to a hasher.
    @usableFromInline
    package func hash(into hasher: inout Hasher) {
      hasher.combine(file)
      hasher.combine(function)
      hasher.combine(kind)
      hasher.combine(info)
      hasher.combine(plugin)
      hasher.combine(unit)
    }

    @usableFromInline
    final class Details: Sendable {
      @usableFromInline let info: String?
      @usableFromInline let plugin: String?
      @usableFromInline let unit: String?

      @usableFromInline
      init(info: String?, plugin: String?, unit: String?) {
        self.info = info
        self.plugin = plugin
        self.unit = unit
      }
    }
  }

  /// The origins of the latest actions of a party, which come from few places as a rule: their next actions share them.
  @usableFromInline
  package struct RecentOrigins {
    @usableFromInline var origins = InlineArray<4, Origin?>(repeating: nil)
    @usableFromInline var next = 0

    /// Remembers nothing.
    @inlinable
    package init() {}

    /// The origin with those fields: one of the latest, or a new one.
    @inlinable
    package mutating func origin(
      file: String, function: String, kind: Kind, info: String? = nil, plugin: String? = nil, unit: String? = nil
    ) -> Origin {
      let isPlain = info == nil && plugin == nil && unit == nil
      for index in origins.indices {
        guard let known = origins[index] else { break }
        if isPlain {
          if known.isPlain(file, function, kind) { return known }
        } else if known.function == function, known.file == file, known.kind == kind, known.info == info,
          known.plugin == plugin, known.unit == unit
        {
          return known
        }
      }
      return add(Origin(file: file, function: function, kind: kind, info: info, plugin: plugin, unit: unit))
    }

    @usableFromInline
    mutating func add(_ origin: Origin) -> Origin {
      origins[next] = origin
      next = (next + 1) % origins.count
      return origin
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
}
