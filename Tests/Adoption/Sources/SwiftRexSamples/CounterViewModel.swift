import StoreCore
import StoreSchema
import StoreUnits

// Examples-Counter, `Common/CounterViewModel.shared.swift`: events of a view in, texts of a view out.

enum CounterViewModel {
  enum Event: Sendable { case tapPlus, tapMinus }

  struct ViewState: Equatable, Sendable {
    var title = "Yet another Redux counter"
    var counterText: String
    var minusButtonTitle = "➖"
    var plusButtonTitle = "➕"
  }

  static func projection(
    of store: some StoreProtocol<CounterApp.Action, CounterApp.State>
  ) -> StoreProjection<Event, ViewState> {
    store.projection(
      action: { event in
        switch event {
        case .tapPlus: .counter(.increase)
        case .tapMinus: .counter(.decrease)
        }
      }, state: { ViewState(counterText: "\($0.counter.currentCount)") })
  }
}
