// Written by scripts/expand.
import StoreCore
import StoreSchema

extension Counter: StoreSchema.SchematicRecord {
  package static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Counter",
    fields: [
      StoreSchema.StoredField<Self>("value", \.value, default: 0, documentation: "The value."),
      StoreSchema.StoredField<Self>(
        "step", \.step, default: 1, documentation: "How far a step goes that does not say so itself."),
    ])

  package init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.value = try fields.next("value")
    self.step = try fields.next("step")
  }
}

extension CounterAction: StoreSchema.SchematicUnion {
  package static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "CounterAction",
    cases: [
      StoreSchema.UnionSchema.Case(
        "increment",
        fields: [StoreSchema.Field("by", of: Int?.self, documentation: "how far; the counter's step if left out.")],
        documentation: "Steps up."),
      StoreSchema.UnionSchema.Case(
        "decrement",
        fields: [StoreSchema.Field("by", of: Int?.self, documentation: "how far; the counter's step if left out.")],
        documentation: "Steps down."),
      StoreSchema.UnionSchema.Case(
        "setStep", fields: [StoreSchema.Field("to", of: Int.self)], documentation: "Sets how far a step goes."),
      StoreSchema.UnionSchema.Case("reset", documentation: "Stands at zero again; the step stays."),
    ])

  package init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = try .increment(by: fields.next("by"))
    case 1: self = try .decrement(by: fields.next("by"))
    case 2: self = try .setStep(to: fields.next("to"))
    case 3: self = .reset
    default:
      throw StoreSchema.SchemaError(
        StoreSchema.Path(),
        .unknownCase(found: "case \(index)", expected: ["increment", "decrement", "setStep", "reset"]))
    }
  }

  package var schemaCaseIndex: Swift.Int {
    switch self {
    case .increment: 0
    case .decrement: 1
    case .setStep: 2
    case .reset: 3
    }
  }

  package var schemaPayload: [StoreSchema.Value] {
    switch self {
    case .increment(let value0): [value0.schemaValue]
    case .decrement(let value0): [value0.schemaValue]
    case .setStep(let value0): [value0.schemaValue]
    case .reset: []
    }
  }

  package mutating func modifySchemaPayload(
    _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
  ) rethrows {
    try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      case .increment(var value0):
        defer { place.initialize(to: .increment(by: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .decrement(var value0):
        defer { place.initialize(to: .decrement(by: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .setStep(var value0):
        defer { place.initialize(to: .setStep(to: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case let other: place.initialize(to: other)
      }
    }
  }
}

extension StandardState: StoreSchema.SchematicRecord {
  package static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "StandardState",
    fields: [
      StoreSchema.StoredField<Self>("counter", \.counter, default: Counter(), documentation: "A counter."),
      StoreSchema.StoredField<Self>("tasks", \.tasks, default: Tasks(), documentation: "A list of things to do."),
    ])

  package init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.counter = try fields.next("counter")
    self.tasks = try fields.next("tasks")
  }
}

extension StandardAction: StoreSchema.SchematicUnion, StoreSchema.CasePathable {
  package static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "StandardAction",
    cases: [
      StoreSchema.UnionSchema.Case(
        "counter", fields: [StoreSchema.Field("value", of: CounterAction.self)],
        documentation: "An action of the counter."),
      StoreSchema.UnionSchema.Case(
        "tasks", fields: [StoreSchema.Field("value", of: TasksAction.self)],
        documentation: "An action of the list of things to do."),
    ])

  package struct Cases: Swift.Sendable {
    package let counter = StoreSchema.CasePath<StandardAction, CounterAction>(
      caseName: "counter", embed: { .counter($0) },
      extract: { if case .counter(let value0) = $0 { value0 } else { nil } })
    package let tasks = StoreSchema.CasePath<StandardAction, TasksAction>(
      caseName: "tasks", embed: { .tasks($0) },
      extract: { if case .tasks(let value0) = $0 { value0 } else { nil } })
  }

  package static let cases: Cases = Cases()

  package init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = try .counter(fields.next("value"))
    case 1: self = try .tasks(fields.next("value"))
    default:
      throw StoreSchema.SchemaError(
        StoreSchema.Path(), .unknownCase(found: "case \(index)", expected: ["counter", "tasks"]))
    }
  }

  package var schemaCaseIndex: Swift.Int {
    switch self {
    case .counter: 0
    case .tasks: 1
    }
  }

  package var schemaPayload: [StoreSchema.Value] {
    switch self {
    case .counter(let value0): [value0.schemaValue]
    case .tasks(let value0): [value0.schemaValue]
    }
  }

  package mutating func modifySchemaPayload(
    _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
  ) rethrows {
    try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      case .counter(var value0):
        defer { place.initialize(to: .counter(value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .tasks(var value0):
        defer { place.initialize(to: .tasks(value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      }
    }
  }
}

extension Tasks: StoreSchema.SchematicRecord {
  package static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Tasks",
    fields: [
      StoreSchema.StoredField<Self>(
        "nextId", \.nextId, default: 1, documentation: "The id that the next to-do gets.", isSequence: true),
      StoreSchema.StoredField<Self>(
        "items", \.items, default: ([]) as PersistentList<Task>,
        documentation: "The to-dos in the order in which they were added."),
    ])

  package init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.nextId = try fields.next("nextId")
    self.items = try fields.next("items")
  }
}

extension Tasks.Task: StoreSchema.SchematicRecord {
  package static let schema: StoreSchema.Schema = StoreSchema.Schema.record(
    Self.self, name: "Task",
    fields: [
      StoreSchema.StoredField<Self>(
        "id", \.id, documentation: "Tells the to-do from all others, also from removed ones."),
      StoreSchema.StoredField<Self>("title", \.title, documentation: "What is to be done."),
      StoreSchema.StoredField<Self>("done", \.done, documentation: "Whether it is done."),
    ])

  package init(schemaFields fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    self.id = try fields.next("id")
    self.title = try fields.next("title")
    self.done = try fields.next("done")
  }
}

extension TasksAction: StoreSchema.SchematicUnion {
  package static let schema: StoreSchema.Schema = StoreSchema.Schema.union(
    Self.self, name: "TasksAction",
    cases: [
      StoreSchema.UnionSchema.Case(
        "add", fields: [StoreSchema.Field("title", of: String.self)], documentation: "Adds a to-do at the end."),
      StoreSchema.UnionSchema.Case(
        "complete", fields: [StoreSchema.Field("id", of: Int.self)],
        documentation: "Marks a to-do as done; an unknown id is refused."),
      StoreSchema.UnionSchema.Case(
        "remove", fields: [StoreSchema.Field("id", of: Int.self)],
        documentation: "Takes a to-do off the list; an unknown id is refused."),
    ])

  package init(schemaCase index: Swift.Int, fields: inout StoreSchema.FieldReader) throws(StoreSchema.SchemaError) {
    switch index {
    case 0: self = try .add(title: fields.next("title"))
    case 1: self = try .complete(id: fields.next("id"))
    case 2: self = try .remove(id: fields.next("id"))
    default:
      throw StoreSchema.SchemaError(
        StoreSchema.Path(), .unknownCase(found: "case \(index)", expected: ["add", "complete", "remove"]))
    }
  }

  package var schemaCaseIndex: Swift.Int {
    switch self {
    case .add: 0
    case .complete: 1
    case .remove: 2
    }
  }

  package var schemaPayload: [StoreSchema.Value] {
    switch self {
    case .add(let value0): [value0.schemaValue]
    case .complete(let value0): [value0.schemaValue]
    case .remove(let value0): [value0.schemaValue]
    }
  }

  package mutating func modifySchemaPayload(
    _ index: Swift.Int, _ body: (Swift.UnsafeMutableRawPointer) throws -> Swift.Void
  ) rethrows {
    try Swift.withUnsafeMutablePointer(to: &self) { place in
      switch place.move() {
      case .add(var value0):
        defer { place.initialize(to: .add(title: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .complete(var value0):
        defer { place.initialize(to: .complete(id: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      case .remove(var value0):
        defer { place.initialize(to: .remove(id: value0)) }
        try Swift.withUnsafeMutablePointer(to: &value0) { try body(Swift.UnsafeMutableRawPointer($0)) }
      }
    }
  }
}
