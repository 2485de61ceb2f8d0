import StoreCore
import StoreHost
import StoreModules
import StoreSchema

extension Module {
  /// The shell's own module, which a bare `describe` leaves out.
  static let shell = Module(
    name: "shell", origin: .swift, schema: nil,
    actions: ShellAction.Types.all,
    projections: ShellListing.allCases.map { ProjectionType(name: $0.rawValue, schema: $0.schema) })

  /// True for the shell's own module, whose actions no `dispatch` takes.
  var isOfShell: Bool { name == Module.shell.name }

  /// The command that dispatches one of the shell's own actions; nil: it is none of them.
  static func command(dispatching action: String) -> String? {
    guard let type = ShellAction.Types.all.first(where: { $0.fullName == action }) else { return nil }
    let verbs = [
      (ShellAction.Types.setGate, "middleware"), (ShellAction.Types.setRule, "middleware"),
      (ShellAction.Types.moveGate, "middleware"), (ShellAction.Types.set, "set"), (ShellAction.Types.restore, "undo"),
      (ShellAction.Types.importState, "import"), (SubstateChange.addType, "substate"),
      (SubstateChange.resetType, "substate"), (ShellAction.Types.cancelEffects, "effects"),
    ]
    return verbs.first { $0.0 === type }?.1 ?? "plugin"
  }
}

/// The projections of the module `shell`: every listing of the shell is one.
enum ShellListing: String, CaseIterable {
  case plugins
  case permissions
  case middleware
  case effects
  case faults
  case thunks
  case projections
  case log
  case watches
  case conversations
  case nodes
  case settings

  /// All listings as one record.
  static func all(in session: Session) -> Reading {
    Reading("Shell", allCases.map { ($0.rawValue, $0.reading(in: session)) })
  }

  func reading(in session: Session) -> Reading {
    switch self {
    case .plugins:
      rows(
        session.store.loadedPlugins.map { plugin in
          [
            .string(plugin.name), .string(plugin.version), .string(plugin.folder), .string(plugin.state),
            .int(plugin.units.count), plugin.failedAt,
          ]
        })
    case .permissions: PermissionListing(session.store.loadedPlugins.map(\.name), in: session).reading
    case .effects:
      rows(
        session.store.live.effects.map { effect in
          [
            .string(effect.id), .text(effect.wakes), .text(effect.startedBy.map { "#\($0)" }),
            .string(EffectListing.seconds(effect.age)),
          ]
        })
    case .faults:
      rows(
        session.store.live.attendance.faults.recent.map { fault in
          [
            fault.action > 0 ? .int(fault.action) : .none, .string(fault.error.plugin ?? ""), .string(fault.unit),
            .text(fault.effect), .string(fault.error.code.reported.rawValue), .string(fault.error.message),
          ]
        })
    case .projections:
      rows(
        session.store.loadedPlugins.flatMap { listing in
          (session.store.plugin(named: listing.name)?.projections.uses ?? []).map { use in
            [
              .string("\(listing.name).\(use.name)"), .int(use.runs), .int(use.hits),
              .texts(use.reads),
            ]
          }
        })
    case .thunks:
      rows(
        session.store.live.thunks.map { thunk in
          let arguments = thunk.action.fields.map(\.signature).joined(separator: " ")
          return [
            .string(thunk.fullName), thunk.takesAny ? .string("any") : arguments.isEmpty ? .none : .string(arguments),
            thunk.action.documentation.isEmpty ? .none : .string(thunk.action.documentation),
          ]
        })
    case .middleware:
      rows(
        session.store.units.enumerated().map { index, unit in
          [
            .int(index + 1), .string(unit.name), .string(unit.position), .int(unit.seen),
            .int(unit.tasks),
            .string(unit.origin.rawValue), .int(unit.held), .int(unit.dropped),
          ]
        })
    case .log:
      rows(
        session.store.live.recent().map { entry in
          [
            .int(entry.number), .double(entry.time.seconds), entry.wallTime.map { .int($0) } ?? .none,
            .text(entry.source.user), .text(entry.source.who), entry.source.value, .string(entry.action),
            .record(entry.arguments), .texts(entry.changes.map(\.path.description)),
          ]
        })
    case .watches: rows(session.watches.list.map { [.int($0.id), .string($0.name)] })
    case .conversations:
      rows(
        session.store.conversations.map { found in
          let author = found.speaker()
          return [
            .text(author?.name), .text(author?.user), .int(found.activity.began),
            .double(Double(found.activity.idle) / 1000), .string(found.rights), .int(found.activity.watches),
            .text(found.activity.running),
          ]
        })
    case .nodes:
      rows(
        (session.store.live.storeNode?.nodes ?? []).map { node in
          [
            .string(node.name), .bool(node.isKeeper), .int(node.action), .int(node.behind), .string(node.digest),
            .bool(node.isStopped),
          ]
        })
    case .settings:
      rows(
        Setting.all.map {
          [.string($0.name), .string($0.read(session)), .string($0.origin(in: session))]
        })
    }
  }

  private func rows(_ rows: [[Value]]) -> Reading { Reading(rows: rows, rawValue, columns.map(\.name)) }

  var schema: Schema {
    let record = RecordSchema(name: rowName, fields: columns.map { Field($0.name, $0.type) })
    return .dynamic(.list(.dynamic(.record(record))))
  }

  /// The name of a row's type.
  private var rowName: String {
    switch self {
    case .plugins: "Plugin"
    case .permissions: "Permission"
    case .middleware: "Middleware"
    case .effects: "Effect"
    case .faults: "Fault"
    case .thunks: "Thunk"
    case .projections: "Projection"
    case .log: "Entry"
    case .watches: "Watch"
    case .conversations: "Conversation"
    case .nodes: "Node"
    case .settings: "Setting"
    }
  }

  private var columns: [(name: String, type: Schema)] {
    let (text, number): (Schema, Schema) = (.dynamic(.string), .dynamic(.int(minimum: nil, maximum: nil)))
    let (texts, anyText): (Schema, Schema) = (.dynamic(.list(text)), .dynamic(.optional(text)))
    return switch self {
    case .plugins:
      [
        ("name", text), ("version", text), ("origin", text), ("state", text), ("units", number),
        ("failedAt", .dynamic(.optional(.dynamic(.double)))),
      ]
    case .permissions:
      [
        ("plugin", text), ("permission", text), ("uses", number), ("required", .dynamic(.bool)), ("needed", anyText),
      ]
    case .middleware:
      [
        ("order", number), ("name", text), ("gate", text), ("seen", number), ("tasks", number), ("origin", text),
        ("held", number), ("dropped", number),
      ]
    case .effects: [("id", text), ("wakes", anyText), ("startedBy", anyText), ("age", text)]
    case .faults:
      [
        ("action", .dynamic(.optional(number))), ("plugin", text), ("unit", text), ("effect", anyText), ("code", text),
        ("message", text),
      ]
    case .thunks: [("name", text), ("arguments", anyText), ("summary", anyText)]
    case .projections: [("name", text), ("runs", number), ("hits", number), ("reads", texts)]
    case .log:
      [
        ("n", number), ("at", .dynamic(.double)), ("when", .dynamic(.optional(number))), ("user", anyText),
        ("who", anyText), ("source", .dynamic(.any)), ("action", text), ("args", .dynamic(.any)), ("changed", texts),
      ]
    case .watches: [("id", number), ("path", text)]
    case .conversations:
      [
        ("who", text), ("user", anyText), ("since", number), ("idle", .dynamic(.double)), ("rights", text),
        ("watches", number), ("runs", anyText),
      ]
    case .nodes:
      [
        ("name", text), ("keeper", .dynamic(.bool)), ("at", number), ("behind", number), ("digest", text),
        ("stopped", .dynamic(.bool)),
      ]
    case .settings: [("name", text), ("value", text), ("origin", text)]
    }
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
          .string(file), .string(function), .int(line), .text(info), .string(kind.rawValue),
          .text(plugin), .text(unit), cause.map { .int($0) } ?? .none,
        ]))
  }
}
