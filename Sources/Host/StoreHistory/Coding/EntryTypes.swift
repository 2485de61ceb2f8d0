import StoreSchema

/// The types by which recorded entries are read (R32).
public struct EntryTypes {
  /// The arguments of an action, by the action's full name; nil if there is no such action.
  public let action: (String) -> ActionShape?
  /// The type of a module's slice, by the module's name; nil where there is no such module.
  public let slice: (String) -> Schema?

  /// Joins the two. Actions and slices that they do not know are read without a type: records become maps with text
  /// keys.
  public init(action: @escaping (String) -> ActionShape?, slice: @escaping (String) -> Schema?) {
    self.action = action
    self.slice = slice
  }

  /// The arguments that an action takes.
  public struct ActionShape: Sendable {
    /// The arguments in declared order.
    public let fields: [Field]
    /// The layout that argument records share.
    public let layout: RecordLayout

    /// Joins the two.
    public init(fields: [Field], layout: RecordLayout) {
      self.fields = fields
      self.layout = layout
    }

    /// The shape of some of the action's arguments: a written entry holds all that were given.
    func limited(to members: PersistentMap<MapKey, Value>) -> ActionShape {
      if fields.count == members.count { return self }
      let given = fields.filter { members[.string($0.name)] != nil }
      return ActionShape(fields: given, layout: RecordLayout(name: layout.name, fields: given.map(\.name)))
    }
  }
}

/// Why a text is not an entry of the log.
public struct EntryError: Error, Hashable, Sendable {
  /// The fault, in a sentence that names the first place.
  public let message: String

  /// Makes an error.
  public init(_ message: String) { self.message = message }

  init(_ error: JSONError) { message = "\(error.message) (column \(error.offset + 1))" }
}
