import StoreCore
import StoreHistory
import StoreHost
import StoreModules
import StorePlugins
import StoreSchema

extension Session {
  /// What stands at a path: in the store, or among the shell's own listings.
  func read(_ path: Path) throws -> Reading {
    guard path.steps.first == .field("shell") else { return try names.read(path, in: self) ?? store.read(path) }
    guard path.steps.count > 1 else { return ShellListing.all(in: self) }
    guard case .field(let name) = path.steps[1], let listing = ShellListing(rawValue: name) else {
      let names = ShellListing.allCases.map(\.rawValue)
      let word = path.steps[1].nameOnly ?? ""
      throw PathError(
        message: "'shell' has no projection '\(word)'",
        hint: Suggestion.nearest(to: word, among: names).map { "did you mean 'shell.\($0)'?" })
    }
    return try listing.reading(in: self).read(path.steps.dropFirst(2), from: Path(Array(path.steps.prefix(2))))
  }
}

extension Session {
  /// The type that is declared for what stands at a path, whichever items and entries there are.
  ///
  /// - Throws: ``PathError`` where no state has anything there.
  func declaredType(at path: Path) throws -> Schema {
    let module = store.modules.first { path.steps.first == .field($0.name) }
    let count = module?.hasNamedParts ?? (path.steps.first == .field("shell")) ? 2 : 1
    let named = Path(Array(path.steps.prefix(count)))
    return try read(named).schema.type(at: path.steps.dropFirst(count), from: named)
  }

  /// Whether a module has no place for a path, whichever items and entries it has.
  func hasNoPlace(for path: Path) -> Bool {
    store.modules.contains { path.steps.first == .field($0.name) } && (try? declaredType(at: path)) == nil
  }

  /// Tells the changes of a path. Where its module has no place for it now, an earlier type may have had one: that of what was
  /// changed there or within.
  func concern(_ path: Path) -> (Change) -> Bool {
    let least = hasNoPlace(for: path) ? path.steps.count : 0
    return { $0.path.lies(along: path) && $0.path.steps.count >= least }
  }

  /// Whether something stands at the path that a word says: a module, a part of its state, a projection or a binding.
  func isReadable(_ word: String) -> Bool {
    guard let path = try? Path(parsing: word), !path.steps.isEmpty else { return false }
    return (try? read(scoped(path))) != nil
  }
}

extension Path.Step {
  fileprivate var nameOnly: String? {
    if case .field(let name) = self { return name }
    return nil
  }
}

extension Module {
  /// The shell's own module, which a bare `describe` leaves out.
  static let shell = Module(
    name: "shell", origin: .swift, schema: nil,
    actions: ShellAction.Types.all,
    projections: ShellListing.allCases.map { ProjectionType(name: $0.rawValue, schema: .dynamic(.any)) })
}

/// The projections of the module `shell`: every listing of the shell is one.
enum ShellListing: String, CaseIterable {
  case plugins
  case permissions
  case middleware
  case effects
  case thunks
  case projections
  case log
  case watches
  case settings

  /// All listings as one record.
  static func all(in session: Session) -> Reading {
    let readings = allCases.map { ($0.rawValue, $0.reading(in: session)) }
    let record = RecordSchema(name: "Shell", fields: readings.map { Field($0, $1.schema) })
    return Reading(
      value: .record(Record(record.layout, readings.map(\.1.value))), schema: .dynamic(.record(record)))
  }

  func reading(in session: Session) -> Reading {
    switch self {
    case .plugins:
      rows(
        ["name", "version", "origin", "state", "units", "failedAt"],
        session.store.loadedPlugins.map { plugin in
          [
            .string(plugin.name), .string(plugin.version), .string(plugin.folder), .string(plugin.state),
            .int(plugin.units.count), plugin.failedAt,
          ]
        })
    case .permissions: PermissionListing(session.store.loadedPlugins.map(\.name), in: session).reading
    case .effects:
      rows(["id", "wakes"], session.store.effects.map { [.string($0.id), $0.wakes.map { .string($0) } ?? .none] })
    case .projections:
      rows(
        ["name", "runs", "hits", "reads"],
        session.store.loadedPlugins.flatMap { listing in
          (session.store.plugin(named: listing.name)?.projections.uses ?? []).map { use in
            [
              .string("\(listing.name).\(use.name)"), .int(use.runs), .int(use.hits),
              .list(PersistentList(use.reads.map { .string($0) })),
            ]
          }
        })
    case .thunks:
      rows(
        ["name", "arguments", "summary"],
        session.store.thunks.map { thunk in
          let arguments = thunk.action.fields.map(\.signature).joined(separator: " ")
          return [
            .string(thunk.fullName), thunk.takesAny ? .string("any") : arguments.isEmpty ? .none : .string(arguments),
            thunk.action.documentation.isEmpty ? .none : .string(thunk.action.documentation),
          ]
        })
    case .middleware:
      rows(
        ["order", "name", "gate", "seen", "tasks", "origin", "held", "dropped"],
        session.store.units.enumerated().map { index, unit in
          [
            .int(index + 1), .string(unit.name), .string(unit.gate.rawValue), .int(unit.seen),
            .int(unit.tasks),
            .string(unit.origin.rawValue), .int(unit.held), .int(unit.dropped),
          ]
        })
    case .log:
      rows(
        ["n", "at", "source", "action", "args", "changed"],
        session.store.log.entries.map { entry in
          [
            .int(entry.number), .double(entry.time.seconds), entry.source.value, .string(entry.action),
            .record(entry.arguments), .list(PersistentList(entry.changes.map { .string($0.path.description) })),
          ]
        })
    case .watches:
      rows(["id", "path"], session.watches.list.map { [.int($0.id), .string($0.path.description)] })
    case .settings:
      rows(
        ["name", "value", "origin"],
        Setting.all.map {
          [.string($0.name), .string($0.read(session)), .string($0.origin(in: session))]
        })
    }
  }

  private func rows(_ names: [String], _ rows: [[Value]]) -> Reading {
    let fields = names.map { Field($0, .dynamic(.any)) }
    let record = RecordSchema(name: rawValue, fields: fields)
    let schema = Schema.dynamic(.list(.dynamic(.record(record))))
    return Reading(
      value: .list(PersistentList(rows.map { .record(Record(record.layout, $0)) })), schema: schema)
  }
}

extension ActionSource {
  private static let layout = RecordLayout(
    name: "Source", fields: ["file", "function", "line", "info", "kind", "plugin", "unit", "cause"])

  /// The source as a record.
  var value: Value {
    .record(
      Record(
        ActionSource.layout,
        [
          .string(file), .string(function), .int(line), info.map { .string($0) } ?? .none, .string(kind.rawValue),
          plugin.map { .string($0) } ?? .none, unit.map { .string($0) } ?? .none, cause.map { .int($0) } ?? .none,
        ]))
  }
}
