import StoreHistory
import StoreSchema

extension StoreClient {
  /// The first of some actions after which a condition on the state holds, and whether it holds before them already.
  ///
  /// - Parameter holds: asks the condition of what can be read at the moment.
  package func bisect(_ numbers: ClosedRange<Int>, holds: () throws -> Bool) throws -> BisectionAnswer {
    let start = numbers.lowerBound - 1
    let moment = theMoment
    let view = try point(start, without: [])
    return try viewing(view) {
      var bisection = Bisection(self, moment, view)
      let first = try bisection.first(in: numbers, holds)
      return BisectionAnswer(
        entry: try first.flatMap { try moment.entry($0) }, heldBefore: bisection.heldBefore,
        failure: bisection.failure)
    }
  }
}

/// What was found by a walk from action to action.
package struct BisectionAnswer {
  /// The first action after which the condition holds; nil: there is none.
  package let entry: LoggedEntry?
  /// Whether it holds in the state at which the walk begins, too.
  package let heldBefore: Bool
  /// The first action after which it could not be said any more whether it holds, and why; nil: it always could.
  package let failure: (number: Int, error: any Error)?
}

/// The way to the first action after which a condition holds: the state is led from action to action and the condition asked
/// after each that changed a module which it looked at. Of the other modules nothing is read: they stay behind, until the
/// condition looks at one.
private struct Bisection {
  private let client: StoreClient
  private let moment: Moment
  private let view: PastView
  /// The modules that the condition has looked at so far.
  private var modules = ModuleNames()
  /// Whether the other modules are behind.
  private var isPartial = false
  /// What the condition said last.
  private var outcome: Result<Bool, any Error> = .success(false)
  /// Whether the condition holds where the walk begins.
  private(set) var heldBefore = false
  /// The first action after which it could not be said any more whether it holds, and why.
  private(set) var failure: (number: Int, error: any Error)?

  /// - Parameters:
  ///   - moment: as it was when the walk was asked for.
  ///   - view: shows the state at which the walk begins.
  init(_ client: StoreClient, _ moment: Moment, _ view: PastView) {
    self.client = client
    self.moment = moment
    self.view = view
  }

  mutating func first(in numbers: ClosedRange<Int>, _ holds: () throws -> Bool) throws -> Int? {
    client.readModules = []
    defer { client.readModules = nil }
    try ask(at: numbers.lowerBound - 1, holds)
    if case .success(true) = outcome { heldBefore = true }
    var found: Int?
    try client.inParts(numbers) { part in
      var rest = part.lowerBound...part.upperBound
      while true {
        let steps = try self.steps(in: rest)
        let known = modules
        for step in steps {
          found = try answer(to: step, holds)
          if found != nil { return false }
          // The condition looks at more than was read.
          guard modules == known else {
            guard step.number < part.upperBound else { return true }
            rest = (step.number + 1)...part.upperBound
            break
          }
        }
        if modules == known { return true }
      }
    }
    if found == nil { _ = try outcome.get() }
    return found
  }

  /// What some actions changed in the modules that the condition looks at: read in the turn, so that it is asked without (R34).
  private func steps(in numbers: ClosedRange<Int>) throws -> [Step] {
    var steps: [Step] = []
    try moment.visitChanges(numbers) { step in
      steps.append(Step(number: step.number, changes: step.isWhole ? nil : try step.changes(in: modules)))
      return true
    }
    return steps
  }

  /// Leads the state on, and asks the condition.
  ///
  /// - Returns: the number of the step, where the condition holds.
  private mutating func answer(to step: Step, _ holds: () throws -> Bool) throws -> Int? {
    if try advance(by: step) {
      let before = outcome
      try ask(at: step.number, holds)
      // Where it cannot be said, such as before a plugin was loaded, it does not hold.
      if case .failure(let error) = outcome, case .success = before {
        failure = failure ?? (step.number, error)
        outcome = .success(false)
      }
    }
    guard case .success(true) = outcome else { return nil }
    return step.number
  }

  /// Leads the state on.
  ///
  /// - Returns: whether the condition may say something else from now on.
  private mutating func advance(by step: Step) throws -> Bool {
    guard let changes = step.changes else {
      try bringUp(to: step.number)
      view.plugins = try client.plugins(at: step.number)
      return true
    }
    isPartial = true
    guard !changes.isEmpty else { return false }
    try view.state.apply(changes)
    return true
  }

  /// Asks the condition. Where it looks at a module that stayed behind, it gets to see it as it was, and says it again.
  private mutating func ask(at number: Int, _ holds: () throws -> Bool) throws {
    while true {
      outcome = Result { try holds() }
      guard modules.formUnion(client.readModules ?? []), isPartial else { return }
      try bringUp(to: number)
    }
  }

  private mutating func bringUp(to number: Int) throws {
    view.state = try moment.state(at: number)
    isPartial = false
  }
}

/// What one action changed; nil: more than its changes tell.
private struct Step {
  let number: Int
  let changes: [Change]?
}
