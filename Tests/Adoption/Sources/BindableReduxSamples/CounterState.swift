import StoreSchema

// CounterBindableRedux, `CounterState.swift` and `Actions.swift`.

@Schema
struct CounterState: Equatable, Sendable {
  var count = 0
  var isIncrementing = true
  var limitText = ""
}
