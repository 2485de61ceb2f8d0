import StoreCore
import StoreSchema
import StoreUnits

// Examples-Counter, `Common/AppModule.swift`: a module lifted into the application, and a logger around it.

enum CounterApp {
  @Schema enum Action: Equatable, Sendable { case counter(CounterAction) }

  @Schema struct State: Equatable, Sendable { var counter = CounterState() }

  @Schema enum CounterAction: Equatable, Sendable { case increase, decrease }

  @Schema struct CounterState: Equatable, Sendable { var currentCount = 0 }

  static let counter = Reducer<CounterAction, CounterState>("counter") { action, state in
    switch action {
    case .increase: state.currentCount += 1
    case .decrease: state.currentCount -= 1
    }
  }

  static func store(logTo writer: LogWriter) throws -> Store<Action, State> {
    try Store(
      initial: State(), reducer: counter.lift(action: \.counter, state: \.counter),
      middleware: .identity.logged(state: .fields(), to: writer))
  }
}
