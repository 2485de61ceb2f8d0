import StoreHistory
import StorePlugins
import StoreSchema

/// The root state as journals hold it: a slice for each module, and one for the shell.
extension HostState {
  private static let shellSlice = "shell"

  /// The slices, written when their turn comes.
  ///
  /// - Parameter isWhole: whether plugins and switches may have changed otherwise than by the changes of entries.
  package func slices(isWhole: Bool) -> [StateSlice] {
    let (app, schema) = (app, app.schema)
    var slices: [StateSlice] = []
    if case .record(let access) = schema.access.parts {
      let fields = app.record.fields
      for index in fields.indices {
        slices.append(
          StateSlice(module: fields[index].name) { out in
            app.read { app in access.read(app, index) { fields[index].schema.appendJSON(of: $0, to: &out) } }
          })
      }
    }
    for slice in plugins + substates {
      slices.append(StateSlice(module: slice.name, isWhole: isWhole) { JSON.append(slice.value, to: &$0) })
    }
    let (shell, names, schemas) = (shell, substates.map(\.name), plugins.map { ($0.name, $0.schema) })
    slices.append(
      StateSlice(module: Self.shellSlice, isWhole: isWhole) { out in
        let types = Dictionary(schemas.map { ($0, $1.shapeHash) }, uniquingKeysWith: { first, _ in first })
        JSON.append(shell.value(substates: names, types: types), to: &out)
      })
    return slices
  }

  /// The state that slices hold.
  ///
  /// - Parameters:
  ///   - app: any state of the application.
  ///   - misfits: what does not fit of slices that are left out.
  ///   - type: the type of a plugin's slice or a substate; nil: nobody knows it, the slice is kept as it is.
  /// - Throws: ``StateMisfit`` with all that does not fit.
  package init(
    _ slices: [JournalSnapshot.Slice], app: AppState, misfits: [String] = [], type: (String) -> Schema?
  ) throws {
    self.init(app: app)
    let switches = try slices.first { $0.module == Self.shellSlice }.map { try JSON.value(of: $0.state) } ?? .none
    let added = Set(ShellState.substates(json: switches))
    shell = ShellState(json: switches)
    let loaded = Set(shell.plugins.map(\.name))
    var misfits = misfits
    for slice in slices {
      if slice.module == Self.shellSlice { continue }
      if added.contains(slice.module) {
        substates.append(try PluginSlice(slice, type(slice.module), &misfits))
      } else if loaded.contains(slice.module) {
        plugins.append(try PluginSlice(slice, type(slice.module), &misfits))
      } else if let index = app.record.index(of: slice.module) {
        if try setSlice(slice.module, toTextOf: slice) { continue }
        let json = try JSON.value(of: slice.state)
        let schema = app.record.fields[index].schema
        do throws(SchemaError) {
          try setSlice(slice.module, try schema.value(fromJSON: json))
        } catch {
          misfits += schema.allMisfits(json, in: slice.module, error)
        }
      } else {
        _ = try JSON.value(of: slice.state)
        misfits.append("\(slice.module): there is no such module any more")
      }
    }
    guard misfits.isEmpty else { throw StateMisfit(problems: misfits) }
  }

  /// Takes over a slice as it was written; false: it takes a closer look.
  private mutating func setSlice(_ name: String, toTextOf slice: JournalSnapshot.Slice) throws -> Bool {
    var isSet = false
    var text = slice.state
    try modifySlice(name) { schema, place in isSet = text.withUTF8 { schema.assign(json: $0, to: place) } }
    return isSet
  }
}

extension Schema {
  /// What tells the type from one that reads otherwise what was written of a state.
  package var shapeHash: String {
    var hash = StableHash()
    hash.add(shape)
    return StableHash.text(of: hash.value)
  }
}

extension PluginSlice {
  fileprivate init(_ slice: JournalSnapshot.Slice, _ type: Schema?, _ misfits: inout [String]) throws {
    let name = slice.module
    let schema = type ?? .dynamic(.any)
    var (text, value) = (slice.state, Value.none)
    let isRead = text.withUTF8 { text in withUnsafeMutablePointer(to: &value) { schema.assign(json: text, to: $0) } }
    if isRead {
      self.init(name: name, schema: schema, value: value)
      return
    }
    let json = try JSON.value(of: slice.state)
    do throws(SchemaError) {
      self.init(name: name, schema: schema, value: try schema.value(fromJSON: json))
    } catch {
      misfits += schema.allMisfits(json, in: name, error)
      self.init(name: name, schema: schema, value: json)
    }
  }
}

/// A state of another type than the one that is declared.
package struct StateMisfit: Error {
  /// How many problems are listed.
  private static let most = 50
  /// What does not fit, a line each; of very much the first.
  package let problems: [String]

  package init(problems: [String]) {
    let more = problems.count - Self.most
    self.problems = more > 0 ? problems.prefix(Self.most) + ["and \(more) more"] : problems
  }
}
