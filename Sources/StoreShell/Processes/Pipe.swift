#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The two ends of a pipe; programs that are started do not inherit them.
struct Pipe {
  let read: Int32
  let write: Int32

  /// Makes a pipe; nil where the system refuses, which `errno` explains.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (read, write) = (ends[0], ends[1])
  }
}
