import StoreCore
import StoreReplication

/// The calls of some nodes' callers on a real log, for the checker of linearizability.
final class CallHistory: Sendable {
  private struct State {
    var time = 0
    var calls: [CommandID: LogCall] = [:]

    mutating func moment() -> Int {
      time += 1
      return time
    }
  }

  private let state = Lock(State())

  /// Gives a node a command.
  func call(_ command: CommandID, at runner: ReplicaRunner) {
    state.withLock { state in
      let now = state.moment()
      state.calls[command] = LogCall(operation: .append(command, place: nil), start: now)
    }
    runner.take(.command(command, term: nil))
  }

  /// Notes the outcome of a command.
  func settle(_ command: CommandID, _ settlement: Settlement) {
    state.withLock { state in
      let now = state.moment()
      switch settlement {
      case .committed(let number, _):
        state.calls[command]?.operation = .append(command, place: Int(number))
        state.calls[command]?.end = now
      case .refused: state.calls[command] = nil
      case .unknown: break
      }
    }
  }

  /// The history, which ends with a reading of all actions. A keeper's action is one of a number that no call has.
  func finished(reading entries: [CommandID]) -> [LogCall] {
    state.withLock { state in
      let read = entries.enumerated().map { $1 == .max ? .max - UInt64($0) : $1 }
      let keepers = entries.indices.filter { entries[$0] == .max }.map {
        LogCall(operation: .append(read[$0], place: nil), start: -$0)
      }
      let (start, end) = (state.moment(), state.moment())
      let last = LogCall(operation: .read(read), start: start, end: end)
      return keepers + state.calls.values.sorted { $0.start < $1.start } + [last]
    }
  }
}
