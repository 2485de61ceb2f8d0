import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema
import StoreUnits

/// The rules of a plugin as units of `StoreUnits` (R24, R25). They read the live state by a view: what the units hand them
/// is for traces.
public final class PluginRules: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the plugin.

  /// The name, in traces, gates and listings, of the unit of the bridges within the plugin.
  public static var bridgeUnit: String { PluginDefinition.bridgeUnit }
  /// The name, in traces, gates and listings, of the unit of the transitions within the plugin.
  public static var transitionUnit: String { PluginDefinition.transitionUnit }

  private let machine: PluginMachine
  private var calls: PluginCalls { machine.calls }
  private let declaredBridges: [PluginDefinition.Bridge]
  private let declaredTransitions: [PluginDefinition.Transition]

  init(
    bridges: [PluginDefinition.Bridge], transitions: [PluginDefinition.Transition], _ machine: PluginMachine
  ) {
    self.machine = machine
    declaredBridges = bridges
    declaredTransitions = transitions
  }

  /// The number of bridges that the plugin declares.
  public var bridgeCount: Int { declaredBridges.count }
  /// The number of transitions that the plugin declares.
  public var transitionCount: Int { declaredTransitions.count }
  /// The names of the units that they stand in.
  public var unitNames: [String] {
    (bridgeCount > 0 ? [Self.bridgeUnit] : []) + (transitionCount > 0 ? [Self.transitionUnit] : [])
  }

  /// The actions of its bridges, in order.
  public var bridgedActions: [(from: ActionType, to: ActionType)] { declaredBridges.map { ($0.from, $0.to) } }
  /// The paths that its transitions look at, and the actions that they dispatch, in order.
  public var transitionTypes: [(at: Path, action: ActionType)] { declaredTransitions.map { ($0.at, $0.action) } }

  /// True if a bridge is about an action.
  public func bridges(_ type: ActionType) -> Bool {
    declaredBridges.contains { $0.from.fullName == type.fullName }
  }

  /// The services that the rules of a plugin need of their runner.
  public struct Host: @unchecked Sendable {
    // Safe: used on the thread that owns the store, where rules are asked.
    let view: any StateView
    let note: (PluginError) -> Void

    /// - Parameters:
    ///   - view: the live state.
    ///   - note: is told of a rule that failed.
    public init(view: any StateView, note: @escaping (PluginError) -> Void) {
      self.view = view
      self.note = note
    }
  }

  // The closures below capture the rules and a position among them: Lua functions belong to one thread.

  /// The bridges, in order.
  public func bridgeRules<State: Sendable>(_ host: Host) -> [BridgeRule<ActionCall, ActionCall, State>] {
    (0..<bridgeCount).map { bridgeRule($0, host) }
  }

  private func bridgeRule<State: Sendable>(
    _ index: Int, _ host: Host
  ) -> BridgeRule<ActionCall, ActionCall, State> {
    let rule = declaredBridges[index]
    let from = rule.from.fullName
    let name = "bridge from '\(from)' to '\(rule.to.fullName)'"
    let payload: @Sendable (ActionCall) -> ActionCall? = { $0.type.fullName == from ? $0 : nil }
    var condition: (@Sendable (State) -> Bool)?
    if rule.when != nil {
      condition = { [self] _ in holds(declaredBridges[index].when, host, "\(name) (when)", nil) ?? false }
    }
    let derived: @Sendable (ActionCall, State) -> ActionCall? = { [self] call, _ in
      let rule = declaredBridges[index]
      return derive(rule.to, host, name, rule.carry, from: [.record(call.record)])
    }
    return .on(payload, when: condition, dispatch: derived, file: rule.place.chunk, line: rule.place.line)
  }

  /// The transitions, in order.
  ///
  /// - Parameter read: the value at a path, none where it leads to nothing; nil where its module is not there.
  public func transitionRules<State: Sendable>(
    _ host: Host, read: @escaping @Sendable (State, Path) -> Value?
  ) -> [TransitionRule<ActionCall, State>] {
    (0..<transitionCount).map { index in
      let rule = declaredTransitions[index]
      let (name, path) = ("transition at '\(rule.at)'", rule.at)
      let source = ActionSource(
        file: rule.place.chunk, function: "transitions", line: rule.place.line, kind: .plugin, plugin: machine.name,
        unit: PluginRules.transitionUnit)
      return TransitionRule.on(
        { read($0, path) },
        from: .matching { [self] in accepts($0, declaredTransitions[index].from, host, "\(name) (from)") },
        to: .matching { [self] in accepts($0, declaredTransitions[index].to, host, "\(name) (to)") },
        dispatch: { [self] before, after in
          let rule = declaredTransitions[index]
          return derive(rule.action, host, name, rule.carry, from: [before ?? .none, after ?? .none])
        }, source: source)
    }
  }

  private func accepts(
    _ value: Value?, _ end: PluginDefinition.Transition.End, _ host: Host, _ place: String
  ) -> Bool {
    // The coming or going of a module is no transition of its content.
    guard let value else { return false }
    return switch end {
    case .any: true
    case .value(let wanted): value == wanted
    case .matching(let function): holds(function, host, place, value) ?? false
    }
  }

  private func holds(_ function: LuaFunction?, _ host: Host, _ place: String, _ value: Value?) -> Bool? {
    guard let function else { return true }
    return ask(host, place) { () throws(LuaError) in
      try machine.lua.call(
        function,
        firstResultWith: { writer in
          if let value { LuaBridge.write(value, to: &writer) }
          writer.append(SliceObjects.stateObject)
        }
      ).isTruthy
    }
  }

  /// The action that a rule dispatches; nil where its function fails, or gives no arguments.
  private func derive(
    _ declared: ActionType, _ host: Host, _ place: String, _ carry: LuaFunction?,
    from values: [Value]
  ) -> ActionCall? {
    let made = ask(host, carry == nil ? place : "\(place) (carry)") { () throws(LuaError) -> ActionCall? in
      // The plugin that declares the action may have been reloaded meanwhile, or be gone.
      let type: ActionType
      do throws(LuaFailure) {
        type = try calls.actions.action(.string(declared.fullName), for: "dispatch")
      } catch {
        throw LuaError(kind: .runtime, message: error.message)
      }
      var arguments = LuaValue.nil
      if let carry {
        arguments = try machine.lua.call(
          carry,
          firstResultWith: { writer in
            for value in values { LuaBridge.write(value, to: &writer) }
            writer.append(SliceObjects.stateObject)
          })
        if arguments == .nil { return nil }
      }
      do throws(SchemaError) {
        return try type.call(LuaBridge.arguments(named: try machine.objects.value(of: arguments)))
      } catch {
        throw LuaError(kind: .runtime, message: type.sentence(for: error))
      }
    }
    guard let call = made ?? nil else { return nil }
    if call.type.module != machine.name { calls.permissions.noteDispatch(call.type) }
    return call
  }

  /// Asks one of the rules' functions, which may read the state and nothing else; nil: it failed.
  private func ask<Result>(_ host: Host, _ place: String, _ body: () throws(LuaError) -> Result) -> Result? {
    let outer = calls.running.emission
    calls.running.emission = nil
    defer { calls.running.emission = outer }
    do throws(PluginError) {
      return try machine.run(host.view, place, body)
    } catch {
      host.note(error)
      return nil
    }
  }
}
