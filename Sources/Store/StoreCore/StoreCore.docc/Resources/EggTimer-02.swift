import StoreCore

struct EggTimer: Equatable, Sendable {
  var seconds = 0
  var isRunning = false
}

enum EggTimerAction: Equatable, Sendable {
  case add(seconds: Int)
  case start
  case stop
  case tick
}
