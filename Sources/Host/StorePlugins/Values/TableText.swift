import LuaRuntime
import StoreSchema

/// The text of a table that a plugin prints: its content, if that is data, as the host writes values.
struct TableText {
  private let text: (Value) -> String

  init(_ text: @escaping (Value) -> String) { self.text = text }

  /// The text of an argument, as the tables are written or, where nobody says how, by their type.
  private static func text(of call: LuaCall, _ position: Int, _ tables: TableText?) throws(LuaError) -> String {
    let described = try call.describe(position)
    // A table with a `__tostring` describes itself.
    guard described == "table", let tables else { return described }
    return tables.text(of: call, position) ?? described
  }

  /// The text of an argument that is such a table; nil: it is something else. Counts as work by its length.
  private func text(of call: LuaCall, _ position: Int) -> String? {
    guard case .table = call.argument(position).kind,
      let value = try? LuaBridge.value(
        of: call[position],
        reading: { (_) throws(SchemaError) in
          throw SchemaError(Path(), .typeMismatch(expected: "data", found: "an object of the shell"))
        })
    else { return nil }
    let text = text(value)
    call.state.meter.work(text.utf8.count)
    return text
  }

  /// The text that a function is called with that prints: once it is printed the call holds it no longer.
  ///
  /// - Parameter first: the first argument that is printed.
  static func printed(
    _ call: LuaCall, from first: Int, separator: String, _ tables: TableText? = nil
  ) throws(LuaError) -> String {
    let state = call.state
    return try state.metered { () throws(LuaError) -> String in
      var texts: [String] = []
      for position in first..<max(call.count, first) {
        texts.append(try text(of: call, position, tables))
      }
      return texts.joined(separator: separator)
    }
  }
}
