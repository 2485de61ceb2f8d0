import ShellLanguage
import StoreHost
import StoreModules
import StoreSchema

extension CommandDefinition {
  static let bind = CommandDefinition(
    "bind", needs: .read, usage: ["bind [NAME PATH ACTION]"],
    summary:
      "binds a name to a value and to the action that sets it: NAME := VALUE dispatches the action, show NAME prints the value",
    flags: FlagDefinition.format, operands: [.newName, .path, .action],
    examples: [
      CommandExample(
        transcript: """
          stsh> bind pace counter.step counter.setStep
          stsh> pace := 5
          #1 counter.setStep to=5
            counter.step  1 -> 5
          stsh> show pace
          5

          """),
      CommandExample(
        "bind pace counter.step counter.setStep", "bind",
        output: """
          name  path          action
          pace  counter.step  counter.setStep

          """),
    ],
    defines: .firstOperand,
    removal: Removal(
      noun: "binding", names: { $0.names.bindings.names },
      remove: { session, name in
        session.names.bindings.remove(name)
        return .none
      }),
    listing: { CommandListing($0.names.bindingListing, of: "bindings") }, read: BindRequest.read,
    addNames: { request, session in
      if case .known(.bind(let binding)) = request { session.names.add(binding) }
    },
    perform: { try $0.value(in: $1).perform(in: $1) })
}

private enum BindRequest {
  case bind(SessionBinding)
  /// A projection maps the action to nothing.
  case dropped(name: String, projection: String)

  static func read(_ reader: CommandReader) throws -> Given<BindRequest> {
    try reader.refuseOperands(from: 3)
    let name = try reader.free(try reader.required(0, "a name"), as: .binding)
    let place = try reader.place(try reader.path(1, "a path"))
    guard reader.operands.count > 2 else { throw reader.missing("an action") }
    let word = reader.operands[2]
    return try name.with(place).with(reader.action(word)).map { given, action in
      switch action.target {
      case .type(let type): .bind(try SessionBinding(given.0, given.1, type, at: word))
      case .dropped(let projection): .dropped(name: action.name, projection: projection)
      }
    }
  }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .dropped(let name, let projection):
      session.noteDropped(name, by: projection)
      return .none
    case .bind(let binding):
      let former = session.names.binding(binding.name)
      session.names.add(binding)
      guard let former, former.text != binding.text else { return .none }
      return CommandResult(json: nil, notes: ["\(binding.name) was bound to \(former.text) before"])
    }
  }
}

extension SessionBinding {
  /// Joins a place and the action that sets its value.
  fileprivate init(_ name: String, _ place: TypedPath, _ action: ActionType, at word: Word) throws {
    guard let field = action.fields.first, action.fields.dropFirst().allSatisfy({ (try? $0.check(nil)) != nil }) else {
      throw ShellError(
        code: .typeMismatch, message: "\(action.fullName) does not set one value", at: word,
        hint: "usage: dispatch \(action.signature)")
    }
    let (expected, found) = (field.schema.wrapped, place.type.wrapped)
    guard expected.kindName == found.kindName || found.kindName == Schema.dynamic(.any).kindName else {
      throw ShellError(
        code: .typeMismatch,
        message:
          "'\(place.path)' is \(found.typeName), but '\(field.name)' of \(action.fullName) is \(expected.typeName)",
        at: word)
    }
    self.init(name: name, path: place.path, action: action)
  }
}

extension Session {
  /// Makes a binding of the application's, as `bind` makes one.
  ///
  /// - Throws: ``ShellError`` where it does not fit.
  func bind(_ binding: ApplicationBinding) throws {
    let line = "bind \(binding.name) \(binding.path) \(binding.action)"
    var reader = StatementReader(Array(line.utf8), grammar: grammar)
    reader.finish()
    guard let statement = try reader.next() else { return }
    _ = try commands.run(statement, in: self)
  }
}

extension SessionBinding {
  /// The binding as `bind` is told.
  fileprivate var text: String { "\(path) \(action.fullName)" }
}

extension SessionNames {
  fileprivate mutating func add(_ binding: SessionBinding) { bindings.append(binding, named: binding.name) }

  fileprivate var bindingListing: Reading {
    Reading(
      rows: bindings.map { [.string($0.name), .string($0.path.description), .string($0.action.fullName)] }, "Binding",
      ["name", "path", "action"])
  }
}
