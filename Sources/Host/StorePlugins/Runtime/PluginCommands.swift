import LuaRuntime
import StoreCore
import StoreModules
import StoreSchema

/// The commands of a plugin. Each runs as a coroutine, so that it can wait.
public final class PluginCommands: @unchecked Sendable {
  // Safe: used only by the thread that owns the store, like the plugin.

  private let machine: PluginMachine
  private var calls: PluginCalls { machine.calls }
  private let declared: [PluginDefinition.Command]

  init(_ declared: [PluginDefinition.Command], _ machine: PluginMachine) {
    self.machine = machine
    self.declared = declared
  }

  /// So often a command may wait: once a second for a day, and a loop in which no time passes comes to an end.
  private static let mostWaits = 100_000

  private enum Step {
    case waiting
    case finished(PluginCommandResult)
  }

  /// Runs one of the plugin's commands.
  ///
  /// - Returns: text to print as it is, or a value to show, or nil.
  /// - Throws: ``PluginError``, and what the host throws out of a wait.
  public func run(
    _ name: String, arguments: Record, view: any StateView, host: any PluginCommandHost
  ) throws -> PluginCommandResult {
    guard let command = declared.first(where: { $0.type.name == name }) else {
      throw calls.faults.make(.runtime, "no command '\(name)'")
    }
    let place = "command '\(machine.name) \(name)'"
    let emission = PluginEmission(unit: name, function: "run")
    defer { calls.running.projected = ProjectedReadings() }
    let coroutine: LuaCoroutine
    do throws(LuaError) {
      coroutine = try machine.lua.makeCoroutine(command.run)
    } catch {
      throw calls.faults.runtime(place, error)
    }
    var waits = 0
    var step = try resume(coroutine, emission, host, view, place) { writer in
      LuaBridge.write(.record(arguments), to: &writer)
      HandedTables.append(calls.handed.command, to: &writer)
    }
    while true {
      if case .finished(let result) = step { return result }
      guard let wait = calls.running.commandWait else {
        try? machine.reading(view) { () throws(LuaError) in try coroutine.close() }
        throw calls.faults.make(.runtime, "\(place): it paused by itself; wait with cmd:wait(seconds)")
      }
      calls.running.commandWait = nil
      let action: AwaitedAction?
      do {
        waits += 1
        guard waits <= Self.mostWaits else {
          throw calls.faults.make(.budget, "\(place) waited more than \(grouped(Self.mostWaits)) times and was stopped")
        }
        action = try host.wait(wait)
      } catch {
        // Its `<close>` variables are closed; an error there is nobody's.
        try? machine.reading(view) { () throws(LuaError) in try coroutine.close() }
        throw error
      }
      step = try resume(coroutine, emission, host, view, place) { writer in
        guard let action else { return writer.appendNil() }
        writer.append(action.name)
        LuaBridge.write(.record(action.arguments), to: &writer)
      }
    }
  }

  private func resume(
    _ coroutine: LuaCoroutine, _ emission: PluginEmission, _ host: any PluginCommandHost, _ view: any StateView,
    _ place: String, _ write: (inout LuaWriter) -> Void
  ) throws(PluginError) -> Step {
    let outer = (calls.running.commandHost, calls.running.emission)
    (calls.running.commandHost, calls.running.emission) = (host, emission)
    defer { (calls.running.commandHost, calls.running.emission) = outer }
    return try machine.run(view, place, signature: .command) { () throws(LuaError) in
      switch try coroutine.resume(arguments: write) {
      case .yielded: return .waiting
      case .finished(let results): return .finished(try result(results.first ?? .nil))
      }
    }
  }

  private func result(_ value: LuaValue) throws(LuaError) -> PluginCommandResult {
    switch value {
    case .nil: return .nothing
    case .string(let text): return .text(text)
    default:
      do throws(SchemaError) {
        let result = try machine.objects.value(of: value)
        // A table without entries is a list of them that has none, unless it is known to be a map.
        if case .table = value, case .map(let map) = result, map.isEmpty, !calls.running.projected.knows(result) {
          return .value(Reading(value: .list([]), schema: .dynamic(.any)))
        }
        return .value(calls.running.projected.reading(of: result))
      } catch {
        throw LuaError(kind: .runtime, message: error.message, underlying: error)
      }
    }
  }
}
