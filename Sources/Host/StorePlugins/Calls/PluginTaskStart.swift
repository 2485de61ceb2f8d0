import LuaRuntime
import StoreCore
import StoreSchema

/// A task that is to be started.
public struct PluginTaskStart: @unchecked Sendable {
  // Safe: the function is called only by the thread that owns the store, and may be let go of on any (`LuaLink`).

  /// The unit that starts it.
  public let unit: String
  /// The key that tells it from the unit's other tasks, by type and value.
  public let key: EffectToken
  /// The element that it is for; nil: none.
  let element: AddressedElement?
  let function: LuaFunction
  /// The key and the value of the entry that it is for; nil: it is for none.
  let entry: (key: Value, value: Value)?
  /// The time of the store at which it starts; nil: at once.
  public internal(set) var due: Duration?
  /// The number of the action that had it start, or set that time; nil: the one with which it starts, 0: it is not known yet.
  package var setter: Int?

  /// - Parameter element: the element that it is for, to which its key is private.
  init(unit: String, key: EffectToken, of element: AddressedElement?, function: LuaFunction) {
    self.unit = unit
    self.key = element.map { EffectToken(ElementKey(id: $0.id, key: key)) } ?? key
    self.element = element
    self.function = function
    entry = nil
  }
}

extension PluginTaskStart {
  /// A task for an entry of a map.
  init(unit: String, key: EffectToken, of entry: (key: Value, value: Value), function: LuaFunction) {
    (self.unit, self.key, self.entry, self.function) = (unit, key, entry, function)
    element = nil
  }
}

extension EffectToken {
  /// The key of a task; nil: Lua gave neither a text nor a number nor a boolean.
  init?(_ key: LuaValue) {
    switch key {
    case .string(let text): self.init(text)
    case .integer(let number): self.init(Int(number))
    case .number(let number) where !number.isNaN: self.init(number)
    case .boolean(let flag): self.init(flag)
    default: return nil
    }
  }
}
