import StoreSchema
import Synchronization

/// An action that a store accepts, as the shell and plugins know it: its name, its arguments, its meaning.
public final class ActionType: Sendable {
  /// The module that declares it.
  public let module: String
  /// Its name within the module.
  public let name: String
  /// Module and name: `tasks.add`.
  public let fullName: String
  /// The arguments in declared order.
  public let fields: [Field]
  /// The layout that argument records share.
  public let layout: RecordLayout
  /// The meaning of the action, in one sentence; may be empty.
  public let documentation: String
  /// True if runs of it fold into one line of the log.
  public let isQuiet: Bool
  /// The position at which the owner of the module finds the action. The module chooses the numbers, such as the
  /// positions of an enum's cases.
  public let position: [Int]

  private let superseded = Atomic<Bool>(false)
  /// True while its plugin does not run: it was reloaded, or went. An action of it is made anew before it is processed.
  package var isSuperseded: Bool {
    get { superseded.load(ordering: .relaxed) }
    set { superseded.store(newValue, ordering: .relaxed) }
  }

  /// Makes an action type. An action that is the case of a Swift enum shares the case's `layout`, so that its arguments
  /// pass as that case's payload.
  public init(
    module: String, name: String, fields: [Field], documentation: String = "", isQuiet: Bool = false,
    position: [Int] = [], layout: RecordLayout? = nil
  ) {
    self.module = module
    self.name = name
    fullName = "\(module).\(name)"
    self.fields = fields
    signature = ScalarText.joined([fullName] + fields.map { $0.signature }, by: " ")
    self.layout = layout ?? RecordLayout(name: fullName, fields: fields.map(\.name))
    self.documentation = documentation
    self.isQuiet = isQuiet
    self.position = position
  }

  /// The written form of the action: `tasks.add title:String`.
  public let signature: String

  /// Checks named arguments and fills in defaults.
  ///
  /// - Throws: ``SchemaError`` at the argument's name.
  public func call(_ named: [(name: String, value: Value)]) throws(SchemaError) -> ActionCall {
    // Most that tasks dispatch: making nothing of nothing takes longer than all else here.
    if fields.isEmpty, named.isEmpty { return ActionCall(self, []) }
    var given = [Value?](repeating: nil, count: fields.count)
    for (name, value) in named {
      guard let index = layout.index(of: name) else {
        let suggestion = Suggestion.nearest(to: name, among: layout.fields)
        throw SchemaError(Path(), .unknownArgument(action: fullName, name: name, suggestion: suggestion))
      }
      given[index] = value
    }
    var arguments: [Value] = []
    arguments.reserveCapacity(fields.count)
    for index in fields.indices { arguments.append(try check(given[index], for: fields[index])) }
    return ActionCall(self, arguments)
  }

  /// Checks what was given for an argument; nil becomes the default.
  ///
  /// - Throws: ``SchemaError`` at the argument's name.
  public func check(_ given: Value?, for field: Field) throws(SchemaError) -> Value {
    if case nil = given, field.isRequired {
      throw SchemaError(
        Path(), .missingArgument(action: fullName, name: field.name, type: field.schema.typeName))
    }
    return try field.check(given)
  }

  /// The fault of arguments, in a sentence that names the action.
  public func sentence(for error: SchemaError) -> String {
    switch error.problem {
    case .unknownArgument, .missingArgument: error.message
    default: "\(fullName): \(error.message)"
    }
  }
}

/// An action with its arguments: checked, in declared order, defaults filled in.
public struct ActionCall: Sendable {
  /// The action.
  public let type: ActionType
  /// The values of the action's fields, one for each.
  public let arguments: [Value]

  /// Joins an action and checked arguments.
  public init(_ type: ActionType, _ arguments: [Value]) {
    self.type = type
    self.arguments = arguments
  }

  /// The arguments with their names.
  public var record: Record { Record(type.layout, arguments) }
}

extension Field {
  /// The written form of the field as an argument: `title:String`, `by:Int?`, with its default where it has one:
  /// `minutes:Int=25`.
  public var signature: String {
    let text = "\(name):\(schema.typeName)"
    guard let defaultValue, !isOptional else { return text }
    return "\(text)=\(JSON.text(of: defaultValue))"
  }
}
