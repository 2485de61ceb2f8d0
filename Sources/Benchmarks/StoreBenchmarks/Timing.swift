import Platform

/// Nanoseconds that one repetition of a body takes.
@inline(__always)
func nanoseconds(each count: Int, _ body: (Int) -> Void) -> Double {
  let start = monotonicNanoseconds()
  for index in 0..<count { body(index) }
  return Double(monotonicNanoseconds() - start) / Double(count)
}

func monotonicNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Takes a value where the optimiser cannot look, so that the work behind it stays.
@inline(never)
func sink<Value>(_ value: borrowing Value) {}

/// Gives a value that the optimiser does not know.
@inline(never)
@_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }
