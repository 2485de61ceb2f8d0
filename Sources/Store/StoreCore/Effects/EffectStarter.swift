/// Starts the components of one effect on behalf of an action.
struct EffectStarter<Dependencies: Sendable, Output>: Sendable {
  let scope: EffectScope
  let dependencies: Dependencies
  let action: ActionContext
  let output: ActionHandler<Output>
  /// The call that starts them.
  let generation: Int

  private var unit: UnitEffects { scope.unit }

  func start(_ component: Effect<Dependencies, Output>.Component) {
    let schedule = component.schedule
    if case .operation(let operation) = component.work, schedule.token == nil, schedule.wait == .zero {
      return perform(operation)
    }
    guard
      let entry = unit.register(
        schedule, path: scope.path, number: action.number, root: action.root, generation: generation)
    else { return }
    let context = EffectContext(
      dependencies: dependencies, action: action, scope: scope, entry: entry, output: output)
    guard schedule.wait > .zero else { return launch(component.work, context) }
    entry.wait(schedule.wait, unit) { launch(component.work, context) }
  }

  private func launch(
    _ work: Effect<Dependencies, Output>.Work, _ context: EffectContext<Dependencies, Output>
  ) {
    switch work {
    case .immediate(let body):
      body(context)
      context.finish()
    case .open(let body): body(context)
    case .task(let body, let startsAtOnce): context.run(body, startsAtOnce: startsAtOnce)
    case .steps(let begin): context.run(steps: begin)
    case .operation(let operation):
      perform(operation)
      context.finish()
    }
  }

  private func perform(_ operation: EffectOperation<Output>) {
    switch operation {
    case .cancel(let token): scope.cancel(token)
    case .open(let supervised): scope.open(supervised, action: action, output: output)
    case .close(let id): scope.close(id)
    case .send(let id, let value): scope.send(value, to: id)
    }
  }
}

extension EffectContext {
  /// Runs a closure as a task of the store's thread, to the end of the effect.
  func run(_ body: @escaping @Sendable (EffectContext) async -> Void, startsAtOnce: Bool = false) {
    let executor = scope.unit.runtime.executor
    entry.task = Task(executorPreference: startsAtOnce ? executor.startingAtOnce() : executor) {
      // Cancelled before its first step: nothing of it runs.
      guard !entry.isOver else { return }
      await body(self)
      finish()
    }
  }

  /// Runs work in steps, the first of them soon.
  func run(steps begin: @escaping @Sendable (EffectContext) -> any EffectSteps) {
    scope.unit.run(entry) { begin(self) }
  }
}
