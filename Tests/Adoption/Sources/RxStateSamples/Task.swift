import StoreSchema

// RxStateExample, `Model/Task.swift`.

@Schema
struct Task: Identifiable, Equatable, Sendable {
  let id: String
  var summary: String
  var status = Status.todo

  @Schema
  enum Status: Equatable, Sendable { case todo, done }
}
