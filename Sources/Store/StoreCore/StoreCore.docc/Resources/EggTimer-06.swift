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

struct EggTimerWorld: Sendable {
  var ring: @Sendable () -> Void
  var remember: @Sendable (_ seconds: Int) async -> Void
}

extension EggTimer {
  static let limit = 600

  static let reducer = Reducer<EggTimerAction, EggTimer>("eggTimer") { action, timer in
    switch action {
    case .add(let seconds): timer.seconds = min(timer.seconds + seconds, limit)
    case .start: timer.isRunning = timer.seconds > 0
    case .stop: timer.isRunning = false
    case .tick:
      timer.seconds -= 1
      timer.isRunning = timer.seconds > 0
    }
  }

  static let ticking = Middleware<EggTimerAction, EggTimerAction, EggTimer>.supervising("ticking") { timer in
    guard timer.isRunning else { return [] }
    return [
      Supervised("tick") { context in
        while (try? await context.sleep(for: .seconds(1))) != nil { context.send(.tick) }
      }
    ]
  }
}
