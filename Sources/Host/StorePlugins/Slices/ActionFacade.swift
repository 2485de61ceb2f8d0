import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// The names of actions and of their parts as a Lua state keeps them: nearly each middleware asks for some.
final class ActionNames {
  private unowned let lua: LuaState
  /// The parts, and where the state keeps their names.
  private let parts = ActionFacade.Part.allCases
  private let places: [UnsafeRawPointer]
  private var keys: [String: LuaKey] = [:]
  @exclusivity(unchecked) private var recent: (type: ActionType, key: LuaKey)?

  init(in lua: LuaState) throws(LuaError) {
    self.lua = lua
    places = try parts.map { (part) throws(LuaError) in try lua.intern(part.rawValue).pointer }
  }

  /// The part that a key names; nil: none.
  func part(_ key: LuaArgument) -> ActionFacade.Part? {
    guard case .string(let text) = key.kind else { return nil }
    for index in places.indices where places[index] == text.pointer { return parts[index] }
    return nil
  }

  func write(_ type: ActionType, to result: inout LuaResult) throws {
    if recent?.type !== type {
      let key = try keys[type.fullName] ?? lua.intern(type.fullName)
      keys[type.fullName] = key
      recent = (type, key)
    }
    if let key = recent?.key { result.append(key) }
  }
}

/// The action being processed, as Lua sees it: `name`, `args`, `id`, `at` in seconds, `source`.
final class ActionFacade {
  static let metaObject = LuaObject(tag: SliceObjects.Tag.facade, id: 1)
  static let actionObject = LuaObject(tag: SliceObjects.Tag.facade, id: 2)

  /// The action on its way through an interceptor.
  static func interceptedObject(_ index: Int) -> LuaObject {
    LuaObject(tag: SliceObjects.Tag.facade, id: UInt32(3 + index))
  }

  /// The text that `tostring` gives.
  let name: String
  @exclusivity(unchecked) private var context: ActionContext?
  // The call in its parts, of which each look needs one.
  @exclusivity(unchecked) private var type: ActionType?
  @exclusivity(unchecked) private var arguments: [Value] = []
  /// True while Lua code that got it runs.
  @exclusivity(unchecked) var isOpen = true
  /// The names of actions, where they are kept.
  var names: ActionNames?
  /// The context that is held, and the number of middlewares that hold it.
  @exclusivity(unchecked) private var held: ObjectIdentifier?
  @exclusivity(unchecked) private var holders = 0

  /// The facade of its `meta`, and a flag that Lua code asked for it since.
  private let meta: ActionFacade?
  @exclusivity(unchecked) private var wasAskedForMeta = false

  init(name: String, meta: ActionFacade? = nil) {
    self.name = name
    self.meta = meta
  }

  func set(_ context: ActionContext, call: ActionCall) {
    self.context = context
    (type, arguments) = (call.type, call.arguments)
  }

  /// The action, while the call lasts that it was set for.
  var current: ActionCall? { isOpen ? type.map { ActionCall($0, arguments) } : nil }

  /// Ends the call that the action was set for: a store uses a context again that nobody keeps.
  func forget() {
    context = nil
    (type, arguments) = (nil, [])
    closeMeta()
  }

  @inline(__always)
  private func closeMeta() {
    guard wasAskedForMeta else { return }
    wasAskedForMeta = false
    meta?.forget()
  }

  /// Keeps the action for a middleware from before the reducers to after them, shut. All middlewares of the plugin
  /// share one reference. After a failure of the reducers nobody lets go, and the next action takes its place.
  func hold(_ context: ActionContext, call: ActionCall) {
    if held == context.identity {
      holders += 1
    } else {
      set(context, call: call)
      held = context.identity
      holders = 1
      isOpen = false
    }
  }

  /// Ends a look that Lua code had at what is held.
  func shut() {
    isOpen = false
    closeMeta()
  }

  /// Lets go of what a middleware held.
  func release() {
    holders -= 1
    guard holders == 0 else { return }
    held = nil
    forget()
  }

  /// Writes the action as a table of some; false: there is no room to make it.
  @inline(__always)
  func write(in tables: ActionTables, to writer: inout LuaWriter) -> Bool {
    type.map { tables.write($0, to: &writer) } ?? false
  }

  /// Writes the arguments that this table has.
  @inline(__always)
  func writeArguments(of tables: ActionTables, to writer: inout LuaWriter) { tables.write(arguments, to: &writer) }

  /// The parts of an action by their names.
  enum Part: String, CaseIterable {
    case id, at, source, name
    case arguments = "args"
    case meta
  }

  /// Writes the field of that name.
  func get(_ key: LuaArgument, into result: inout LuaResult) throws {
    guard isOpen, let type, context != nil else {
      throw LuaFailure("this \(name) was valid only during the call that gave it")
    }
    switch names?.part(key) ?? Part(rawValue: key.keyText) {
    case .arguments:
      LuaBridge.write(.record(ActionCall(type, arguments).record), to: &result)
    case .name:
      if let names { return try names.write(type, to: &result) }
      result.append(type.fullName)
    case .id: if let context { result.append(context.number) }
    case .at: if let context { result.append(context.time.seconds) }
    case .source: if let context { write(context.source, to: &result) }
    case .meta:
      if let context { meta?.set(context, call: ActionCall(type, arguments)) }
      wasAskedForMeta = true
      result.append(Self.metaObject)
    case nil:
      let known: [Part] = [.id, .at, .source, .name, .arguments]
      throw LuaFailure(noField: key.keyText, of: name, among: known.map(\.rawValue))
    }
  }

  private func write(_ source: ActionSource, to result: inout LuaResult) {
    result.beginTable(record: 9)
    result.key("file")
    result.append(source.file)
    result.key("function")
    result.append(source.function)
    result.key("line")
    result.append(source.line)
    result.key("kind")
    result.append(source.kind.rawValue)
    let texts = [("info", source.info), ("plugin", source.plugin), ("user", source.user), ("who", source.who)]
    for (key, value) in texts {
      guard let value else { continue }
      result.key(key)
      result.append(value)
    }
    if let cause = source.cause {
      result.key("cause")
      result.append(cause)
    }
    result.endTable()
  }
}
