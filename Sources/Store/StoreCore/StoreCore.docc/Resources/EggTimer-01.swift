import StoreCore

struct EggTimer: Equatable, Sendable {
  var seconds = 0
  var isRunning = false
}
