import LuaRuntime
import StoreCore
import StoreSchema

/// The action being processed, as Lua sees it: `name`, `args`, `id`, `at` in seconds, `source`.
final class ActionFacade: LuaFacade {
  let name: String
  /// What a store knows of the action.
  @exclusivity(unchecked) private var context: ActionContext?
  /// What is known of it where no store processes it.
  @exclusivity(unchecked) private var facts: Facts?
  @exclusivity(unchecked) private var call: ActionCall?

  private struct Facts {
    let number: Int
    let time: Duration
    let source: ActionSource
  }

  /// What `meta` of it is.
  private let meta: ActionFacade?

  init(name: String, meta: ActionFacade? = nil) {
    self.name = name
    self.meta = meta
  }

  func set(number: Int, time: Duration, source: ActionSource, call: ActionCall) {
    context = nil
    facts = Facts(number: number, time: time, source: source)
    self.call = call
  }

  func set(_ context: ActionContext, call: ActionCall) {
    self.context = context
    self.call = call
  }

  /// The action, while the call lasts that it was set for.
  var current: ActionCall? { call }

  /// Ends the call that the action was set for: a store uses a context again that nobody keeps.
  func forget() {
    context = nil
    call = nil
    if let meta, meta.call != nil { meta.forget() }
  }

  func get(_ key: String, into result: inout LuaResult) throws {
    guard let call else { throw LuaFailure("this \(name) was valid only during the call that gave it") }
    switch key {
    case "id": result.append(context?.number ?? facts?.number ?? 0)
    case "at": result.append((context?.time ?? facts?.time ?? .zero).seconds)
    case "source": if let source = context?.source ?? facts?.source { write(source, to: &result) }
    case "name": result.append(call.type.fullName)
    case "args": LuaBridge.write(.record(call.record), to: &result)
    case "meta":
      if let meta { (meta.context, meta.facts, meta.call) = (context, facts, call) }
      result.append(PluginCalls.metaObject)
    default:
      let names = ["id", "at", "source", "name", "args"]
      let suggestion = Suggestion.nearest(to: key, among: names)
      throw LuaFailure("\(name) has no field '\(key)'" + (suggestion.map { " (did you mean '\($0)'?)" } ?? ""))
    }
  }

  private func write(_ source: ActionSource, to result: inout LuaResult) {
    result.beginTable(record: 7)
    result.key("file")
    result.append(source.file)
    result.key("function")
    result.append(source.function)
    result.key("line")
    result.append(source.line)
    result.key("kind")
    result.append(source.kind.rawValue)
    for (key, value) in [("info", source.info), ("plugin", source.plugin)] {
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
