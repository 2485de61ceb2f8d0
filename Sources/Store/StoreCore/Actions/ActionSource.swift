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

  /// Becomes another source, whose origin is not counted where it is the same.
  ///
  /// - Parameter first: the first action of the statement that asks for it; nil: the source tells.
  @inlinable
  @inline(__always)
  mutating func become(_ other: ActionSource, askedFor first: Int?) {
    if origin !== other.origin { origin = other.origin }
    (line, link) = (other.line, other.link)
    if let first { statement = first }
  }

  /// The source of an action that a statement asks for.
  ///
  /// - Parameter first: the first action of the statement; nil: the source tells.
  @inlinable
  package func asked(for first: Int?) -> ActionSource {
    var source = self
    if let first { source.statement = first }
    return source
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

  /// The user whose process dispatched, as the kernel knows it; nil: none is known, as over TCP, or a unit dispatched.
  public var user: String? { origin.author?.user }

  /// The name under which the action was dispatched: of a conversation its own, such as `ann@pts/3`; of the owner's code the
  /// name that it gives or else its file and line; nil: a unit dispatched. A name is a claim: only ``user`` may decide anything.
  public var who: String? { origin.author?.name ?? (isOfOwner ? "\(origin.file):\(line)" : nil) }

  /// True for what code of the store's owner dispatched, rather than a conversation, a unit or a plugin.
  package var isOfOwner: Bool { origin.kind == .code && link <= 0 && origin.plugin == nil && !origin.file.isEmpty }

  /// The user and the name of those that have a name of their own.
  @inlinable package var author: ActionAuthor? {
    get { origin.author }
    set { replace(author: .some(newValue)) }
  }

  /// Moves the source to another origin, which differs in what is given.
  @usableFromInline
  mutating func replace(
    file: String? = nil, function: String? = nil, kind: Kind? = nil, info: String?? = nil, plugin: String?? = nil,
    unit: String?? = nil, author: ActionAuthor?? = nil
  ) {
    origin = Origin(
      file: file ?? origin.file, function: function ?? origin.function, kind: kind ?? origin.kind,
      info: info ?? origin.info, plugin: plugin ?? origin.plugin, unit: unit ?? origin.unit,
      author: author ?? origin.author)
  }
}

/// Who dispatches: one object for all actions of a conversation.
@usableFromInline
package final class ActionAuthor: Hashable, Sendable {
  /// The user, as the kernel knows it; nil: none is known.
  @usableFromInline package let user: String?
  /// The name that the conversation claims.
  @usableFromInline package let name: String

  package init(user: String?, name: String) {
    self.user = user
    self.name = name
  }

  /// True if both have the same user and the same name.
  @usableFromInline
  package static func == (left: ActionAuthor, right: ActionAuthor) -> Bool {
    left === right || left.name == right.name && left.user == right.user
  }

  /// Feeds both to a hasher.
  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    hasher.combine(user)
    hasher.combine(name)
  }

  /// True if a text may be a name: 1 to 64 of `A-Z a-z 0-9 . _ - @ /`.
  package static func allows(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed)
  }

  /// True if a name may have that byte.
  package static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "@"), UInt8(ascii: "/"):
      true
    default: false
    }
  }

  /// The name as lists show it, with the user where the name does not begin with that: `ann@pts/3`, `ann (root)`, and `ann?`
  /// where no user is known.
  package var text: String {
    guard let user else { return "\(name)?" }
    guard name.hasPrefix(user), case let rest = name.dropFirst(user.count),
      rest.isEmpty || "@/".contains(rest.first ?? " ")
    else { return "\(name) (\(user))" }
    return name
  }
}

extension ActionSource {
  /// The place of actions but for the line: one object for all actions that come from there.
  @usableFromInline
  package final class Origin: Hashable, Sendable {
    @usableFromInline package let file: String
    @usableFromInline package let function: String
    @usableFromInline package let kind: Kind
    /// The conversation that dispatches, or the name that the owner's code gives; nil: neither.
    @usableFromInline package let author: ActionAuthor?
    // Few origins have any of these.
    @usableFromInline let details: Details?

    @inlinable package var info: String? { details?.info }
    @inlinable package var plugin: String? { details?.plugin }
    /// The plugin's unit or command whose code dispatches.
    @inlinable package var unit: String? { details?.unit }

    /// Makes an origin.
    @inlinable
    package init(
      file: String, function: String, kind: Kind, info: String? = nil, plugin: String? = nil, unit: String? = nil,
      author: ActionAuthor? = nil
    ) {
      self.file = file
      self.function = function
      self.kind = kind
      self.author = author
      details = info == nil && plugin == nil && unit == nil ? nil : Details(info: info, plugin: plugin, unit: unit)
    }

    /// True if these are all of its fields.
    @inlinable
    @inline(__always)
    func isPlain(_ file: String, _ function: String, _ kind: Kind, _ author: ActionAuthor? = nil) -> Bool {
      self.function.utf8.count == function.utf8.count && self.function == function && self.file == file
        && self.kind == kind && details == nil && self.author === author
    }

    /// True if the origins are one, or have the same fields.
    @inlinable
    package static func == (left: Origin, right: Origin) -> Bool { left === right || left.isEqual(to: right) }

    @usableFromInline
    func isEqual(to other: Origin) -> Bool {
      kind == other.kind && function == other.function && file == other.file && author == other.author
        // Files and remarks may be spelled in two ways that are one for `==`.
        && file.utf8.elementsEqual(other.file.utf8)
        && (details === other.details || hasInfo(of: other) && plugin == other.plugin && unit == other.unit)
    }

    private func hasInfo(of other: Origin) -> Bool {
      info == other.info && (info ?? "").utf8.elementsEqual((other.info ?? "").utf8)
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
      hasher.combine(author)
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
    /// The author of all of them.
    @usableFromInline package var author: ActionAuthor? {
      didSet { (origins, next) = (InlineArray(repeating: nil), 0) }
    }

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
          if known.isPlain(file, function, kind, author) { return known }
        } else if known.function == function, known.file == file, known.kind == kind, known.info == info,
          known.plugin == plugin, known.unit == unit, known.author === author
        {
          return known
        }
      }
      return add(
        Origin(file: file, function: function, kind: kind, info: info, plugin: plugin, unit: unit, author: author))
    }

    /// A source with the object of one of the latest origins, where it comes from the same place.
    package mutating func sharing(_ source: ActionSource) -> ActionSource {
      for index in origins.indices where origins[index] === source.origin { return source }
      for index in origins.indices where origins[index]?.isEqual(to: source.origin) ?? false {
        var source = source
        if let known = origins[index] { source.origin = known }
        return source
      }
      _ = add(source.origin)
      return source
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
    case file, function, line, info, kind, plugin, unit, cause, statement, user, who
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
    if let name = try fields.decodeIfPresent(String.self, forKey: .who) {
      author = ActionAuthor(user: try fields.decodeIfPresent(String.self, forKey: .user), name: name)
    }
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
    try fields.encodeIfPresent(user, forKey: .user)
    try fields.encodeIfPresent(author?.name, forKey: .who)
  }
}
