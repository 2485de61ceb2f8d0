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

extension EggTimer {
  static let reducer = Reducer<EggTimerAction, EggTimer>("eggTimer") { action, timer in
    switch action {
    case .add(let seconds): timer.seconds += seconds
    case .start: timer.isRunning = timer.seconds > 0
    case .stop: timer.isRunning = false
    case .tick:
      timer.seconds -= 1
      timer.isRunning = timer.seconds > 0
    }
  }
}
