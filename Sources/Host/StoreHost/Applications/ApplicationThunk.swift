import StorePlugins
import StoreSchema
import StoreUnits

/// A thunk of an application's module (R20), for the command `thunk MODULE.NAME`.
public struct ApplicationThunk<Action: Sendable, State: Sendable>: Sendable {
  package let module: String
  package let type: ThunkType
  package let make: @Sendable (Value) throws(SchemaError) -> Thunk<Action, State>

  /// Offers a thunk that takes no arguments, under its own name.
  ///
  /// - Parameters:
  ///   - thunk: what runs.
  ///   - module: the name of the module that it is listed under.
  ///   - summary: what it does, in one sentence.
  public init(_ thunk: Thunk<Action, State>, of module: String, summary: String = "") {
    self.module = module
    type = ThunkType(module: module, name: thunk.name, fields: [], documentation: summary, takesAny: false)
    make = { (_) throws(SchemaError) in thunk }
  }

  /// Offers a thunk that takes arguments, which the shell reads and checks as it does those of actions.
  ///
  /// - Parameters:
  ///   - name: the thunk's name within the module.
  ///   - module: the name of the module that it is listed under.
  ///   - arguments: the type of the arguments; its fields are their names.
  ///   - summary: what it does, in one sentence.
  ///   - thunk: makes what runs, from the arguments.
  public init<Arguments: SchematicRecord>(
    _ name: String, of module: String, taking arguments: Arguments.Type, summary: String = "",
    _ thunk: @escaping @Sendable (Arguments) -> Thunk<Action, State>
  ) {
    self.module = module
    type = ThunkType(
      module: module, name: name, fields: arguments.fields, documentation: summary, takesAny: false)
    make = { (value) throws(SchemaError) in thunk(try Arguments(schemaValue: value)) }
  }
}

extension SchematicRecord {
  /// The fields of the struct: what it asks for where it stands for the arguments of something.
  package static var fields: [Field] {
    guard case .record(let record) = schema.kind else { return [] }
    return record.fields
  }
}
