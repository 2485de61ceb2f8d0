import LuaRuntime
import StoreSchema

/// The way in which a plugin takes over the state of an earlier version of itself.
public struct PluginMigration {
  let machine: PluginMachine
  /// The type of the slice.
  let schema: Schema
  /// True if the plugin has a state.
  let keepsState: Bool
  /// The slice that a load starts from.
  let initialState: Value
  /// The plugin's own function, which makes the new slice of the old one.
  let migrate: WatchedFunction?

  private var calls: PluginCalls { machine.calls }

  /// True if the plugin itself makes its state from an earlier state.
  public var migrates: Bool { migrate != nil }

  /// True if `migrate` takes over the slice of an earlier version: the version is another, or the slice does not fit as
  /// it is.
  public func migrates(_ old: Value?, from version: String) -> Bool {
    guard migrates, let old else { return false }
    return version != calls.faults.manifest.version || !accepts(old)
  }

  /// The slice that the plugin goes on with.
  ///
  /// The plugin's own `migrate` makes the state where ``migrates(_:from:)``; else the earlier slice must fit. New
  /// fields start as they do at a load. No former value may be lost or change its type.
  ///
  /// - Parameters:
  ///   - old: the slice of the earlier version, or what JSON holds of it; nil: it had none.
  ///   - version: the earlier version.
  /// - Returns: nil where the plugin has no state.
  /// - Throws: ``PluginError`` where the slice does not fit, or `migrate` fails.
  public func state(from old: Value?, version: String) throws(PluginError) -> Value? {
    guard keepsState else {
      guard old == nil else { throw noLongerFits("the plugin declares no state") }
      return nil
    }
    guard let old else { return initialState }
    guard let migrate, migrates(old, from: version) else { return try fit(old) }
    return try run(migrate, old, version)
  }

  /// The JSON form of an earlier slice, with new fields as they start at a load.
  public func filling(_ old: Value) -> Value { keepsState ? schema.filling(old) : old }

  /// True if the JSON form of a slice fits as it is, with defaults for new fields.
  public func accepts(_ old: Value) -> Bool { (try? fit(old)) != nil }

  private func fit(_ old: Value) throws(PluginError) -> Value {
    do throws(SchemaError) {
      return try schema.value(fromJSON: filling(old))
    } catch {
      throw noLongerFits(error.under(Path([.field(machine.name)])).message)
    }
  }

  private func noLongerFits(_ reason: String) -> PluginError {
    calls.faults.make(
      .misfit, "the running state no longer fits: \(reason)",
      hint: "add migrate(), or: plugin reload \(machine.name) --reset")
  }

  private func run(_ migrate: WatchedFunction, _ old: Value, _ version: String) throws(PluginError) -> Value {
    let value: Value
    do throws(LuaError) {
      let digest = try migrate.digestBefore(.always, machine.lua)
      let result = try machine.lua.call(
        migrate.function,
        arguments: { writer in
          LuaBridge.write(old, to: &writer)
          writer.append(version)
        }
      ).first
      if let changed = try migrate.change(since: digest, machine.modules, .always, machine.lua) {
        let fault = calls.faults.impure("migrate", changed: changed, mayOnly: "it may only return a state")
        throw LuaError(kind: .runtime, message: "", underlying: fault)
      }
      guard let result, result != .nil else {
        throw LuaError(kind: .runtime, message: "", underlying: calls.faults.make(.schema, "migrate returned no state"))
      }
      do throws(SchemaError) {
        value = try schema.check(try machine.objects.value(of: result))
      } catch {
        let message = error.under(Path([.field(machine.name)])).message
        throw LuaError(
          kind: .runtime, message: "",
          underlying: calls.faults.make(.schema, "migrate returned a state that does not fit: \(message)"))
      }
    } catch {
      throw calls.faults.runtime("migrate", error)
    }
    return value
  }
}

extension Schema {
  /// A value with the fields that its records lack, as they start; what the type does not have stays, for a check to find.
  func filling(_ value: Value) -> Value {
    switch (kind, value) {
    case (.optional(let wrapped), let value) where value != .none: return wrapped.filling(value)
    case (.list(let element), .list(let list)): return .list(PersistentList(list.map { element.filling($0) }))
    case (.map(_, let element), .map(let map)):
      var filled = PersistentMap<MapKey, Value>()
      for (key, value) in map { filled[key] = element.filling(value) }
      return .map(filled)
    case (.record(let record), .record(let given)):
      var names = given.layout.fields
      var values = given.values
      for field in record.fields {
        if let index = given.layout.index(of: field.name) {
          values[index] = field.schema.filling(values[index])
        } else {
          names.append(field.name)
          values.append(field.defaultValue ?? field.schema.initialValue)
        }
      }
      return .record(Record(RecordLayout(name: record.name, fields: names), values))
    case (.record(let record), .map(var members)):
      for field in record.fields {
        let key = MapKey.string(field.name)
        members[key] = members[key].map(field.schema.filling) ?? field.defaultValue ?? field.schema.initialValue
      }
      return .map(members)
    default: return value
    }
  }
}
