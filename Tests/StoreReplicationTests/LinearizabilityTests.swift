import StoreCore
import Testing

@Suite("The checker of linearizability")
struct LinearizabilityTests {
  private func append(_ action: UInt64, _ place: Int?, _ start: Int, _ end: Int?) -> LogCall {
    LogCall(operation: .append(action, place: place), start: start, end: end)
  }

  private func read(_ actions: [UInt64], _ start: Int, _ end: Int) -> LogCall {
    LogCall(operation: .read(actions), start: start, end: end)
  }

  @Test func `Calls at the same time may take effect in either order`() {
    #expect(isLinearizable([append(1, 2, 0, 3), append(2, 1, 1, 2), read([2, 1], 4, 5)]))
    #expect(isLinearizable([append(1, 1, 0, 3), append(2, 2, 1, 2), read([1, 2], 4, 5)]))
  }

  @Test func `A call takes effect behind those that were answered before it`() {
    #expect(!isLinearizable([append(1, 2, 0, 1), append(2, 1, 2, 3), read([2, 1], 4, 5)]))
    #expect(!isLinearizable([append(1, 1, 0, 1), read([], 2, 3)]))
    #expect(!isLinearizable([append(1, 1, 0, 1), append(2, 2, 2, 3), read([2, 1], 4, 5)]))
  }

  @Test func `A call without an answer may take effect late or not at all`() {
    #expect(isLinearizable([append(1, nil, 0, nil), append(2, 1, 1, 2), read([2], 3, 4)]))
    #expect(isLinearizable([append(1, nil, 0, nil), append(2, 1, 1, 2), read([2], 3, 4), read([2, 1], 5, 6)]))
    #expect(!isLinearizable([append(1, nil, 0, nil), append(2, 1, 1, 2), read([1, 2], 3, 4)]))
  }

  /// Without the bound on what could show them, each order of such calls is tried: 17 GB and no end, with 150 faults.
  @Test func `Many calls without an answer are no work where nothing shows them`() {
    let lost = (0..<200).map { append(UInt64(100 + $0), nil, $0, nil) }
    #expect(isLinearizable(lost + [append(1, 1, 200, 201), read([1], 202, 203)]))
    #expect(!isLinearizable(lost + [append(1, 1, 200, 201), read([1, 2], 202, 203)]))
  }

  @Test func `A place is given once`() {
    #expect(!isLinearizable([append(1, 1, 0, 2), append(2, 1, 1, 3)]))
  }

  @Test(arguments: 0..<20)
  func `A true history passes, and none of its answered actions can be missing`(seed: Int) {
    let history = LogHistory(order: RecordedOrder(seed: UInt64(seed)), callers: 4, calls: 30)
    #expect(isLinearizable(history.calls))
    for index in history.calls.indices {
      guard case .append(_, .some) = history.calls[index].operation else { continue }
      var missing = history.calls
      missing.remove(at: index)
      #expect(!isLinearizable(missing))
    }
  }
}

/// A history of callers that append to a true log, one call each at a time.
private struct LogHistory {
  var calls: [LogCall] = []

  init(order: some StoreOrder, callers: Int, calls count: Int) {
    var log: [UInt64] = []
    /// A caller's call, and the place that it got when it took effect.
    var open: [Int: (call: Int, place: Int?)] = [:]
    var time = 0
    func read() {
      calls.append(
        LogCall(
          operation: .read(log), start: time, end: time + 1))
    }
    while calls.count < count || !open.isEmpty {
      time += 1
      let caller = order.choose(among: callers)
      guard let (call, place) = open[caller] else {
        guard calls.count < count else { continue }
        calls.append(LogCall(operation: .append(UInt64(calls.count + 1), place: nil), start: time))
        open[caller] = (calls.count - 1, nil)
        continue
      }
      guard let place else {
        log.append(UInt64(call + 1))
        open[caller] = (call, log.count)
        continue
      }
      // One answer in six is lost.
      if order.choose(among: 6) > 0 {
        calls[call].operation = .append(UInt64(call + 1), place: place)
        calls[call].end = time
      }
      open[caller] = nil
    }
    time += 1
    read()
  }
}
