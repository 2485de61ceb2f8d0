/// One call of a log's user: when it was made, when it was answered, and the answer.
struct LogCall: Hashable {
  /// The request and its answer.
  enum Operation: Hashable {
    /// Append an action of a number that no other has; the answer is its place. Nil: the caller does not know the outcome.
    case append(UInt64, place: Int?)
    /// Read all; the answer is the actions in order.
    case read([UInt64])
  }

  var operation: Operation
  /// The moment of the call. No two moments of a history are the same.
  var start: Int
  /// The moment of the answer; nil: there was none.
  var end: Int?
}

/// Decides whether a history of calls is linearizable: whether each call could have taken effect at one moment between its start and
/// its end (Herlihy and Wing 1990), for a log that appends and is read.
///
/// The search is that of Wing and Gong (1993) with the memory of Lowe (2017), as porcupine has it: take a call that may be next, go on,
/// come back when there is no way; a set of calls with a state of the log that was met before is not tried again. A log only grows, so
/// it begins as the longest read of the history does, and a call of unknown outcome that would stand behind all that reads and answers
/// show is left out, since nothing could show it; without both, such calls could be tried in each order.
func isLinearizable(_ history: [LogCall]) -> Bool {
  struct Log: Hashable {
    /// The number of actions that are those of the longest read.
    var known = 0
    /// The actions behind them.
    var others: [UInt64] = []

    func after(_ operation: LogCall.Operation, longest: [UInt64], shown: Int) -> Log? {
      switch operation {
      case .append(let action, let place):
        let count = known + others.count
        guard place.map({ $0 == count + 1 }) ?? (count < shown) else { return nil }
        guard known < longest.count else { return Log(known: known, others: others + [action]) }
        return longest[known] == action ? Log(known: known + 1) : nil
      case .read(let read):
        return read.count == known && others.isEmpty && longest.starts(with: read) ? self : nil
      }
    }
  }
  /// The calls that are done, as bits.
  struct Calls: Hashable {
    var words: [UInt64]

    mutating func flip(_ call: Int) { words[call / 64] ^= 1 << UInt64(call % 64) }
  }
  struct Seen: Hashable {
    var done: Calls
    var log: Log
  }

  var longest: [UInt64] = []
  for case .read(let actions) in history.lazy.map(\.operation) where actions.count > longest.count { longest = actions }

  // The number of actions that reads and answers show.
  let shown = history.reduce(longest.count) {
    if case .append(_, let place?) = $1.operation { max($0, place) } else { $0 }
  }

  // The starts and ends in the order of time, as a linked list from which calls are lifted and to which they go back.
  enum Moment { case start(Int), end(Int) }
  let times = history.enumerated().flatMap { index, call -> [(time: Int, moment: Moment)] in
    [(call.start, .start(index))] + (call.end.map { [($0, .end(index))] } ?? [])
  }.sorted { $0.time < $1.time }
  let moments = times.map(\.moment)
  let last = moments.count
  var next = Array(1...(last + 1))
  var previous = Array(-1..<last)
  // Before the first stands a head, at `last + 1`.
  let head = last + 1
  next.append(0)
  var starts = Array(repeating: 0, count: history.count)
  var ends = Array<Int?>(repeating: nil, count: history.count)
  for (place, moment) in moments.enumerated() {
    switch moment {
    case .start(let call): starts[call] = place
    case .end(let call): ends[call] = place
    }
  }
  func remove(_ place: Int) {
    let before = previous[place] < 0 ? head : previous[place]
    next[before] = next[place]
    if next[place] < last { previous[next[place]] = before == head ? -1 : before }
  }
  func putBack(_ place: Int) {
    let before = previous[place] < 0 ? head : previous[place]
    next[before] = place
    if next[place] < last { previous[next[place]] = place }
  }

  var log = Log()
  var done = Calls(words: Array(repeating: 0, count: history.count / 64 + 1))
  var seen: Set<Seen> = []
  var stack: [(call: Int, log: Log)] = []
  var place = next[head]
  // A call without an answer may have had no effect: it need not be done.
  var answered = history.count { $0.end != nil }
  while answered > 0 {
    if place < last, case .start(let call) = moments[place] {
      done.flip(call)
      if let changed = log.after(history[call].operation, longest: longest, shown: shown),
        seen.insert(Seen(done: done, log: changed)).inserted
      {
        stack.append((call, log))
        log = changed
        if history[call].end != nil { answered -= 1 }
        remove(starts[call])
        if let end = ends[call] { remove(end) }
        place = next[head]
      } else {
        done.flip(call)
        place = next[place]
      }
    } else {
      // A call was answered that is not done yet, or there is no call left: go back.
      guard let (call, before) = stack.popLast() else { return false }
      log = before
      done.flip(call)
      if history[call].end != nil { answered += 1 }
      if let end = ends[call] { putBack(end) }
      putBack(starts[call])
      place = next[starts[call]]
    }
  }
  return true
}
