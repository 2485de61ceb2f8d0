/// A wait for the other end of a file, such as a pipe or a terminal. It has an end, and a listener may be told of it.
package struct FileWait {
  /// Readable when waits are to end; -1: nothing ends them.
  private let end: Int32
  private let note: ((_ begins: Bool) -> Void)?
  /// Tells whether waits are to end, where the system had no descriptor left that could; nil: nothing ends them then.
  private let isOver: (() -> Bool)?

  /// - Parameters:
  ///   - end: a descriptor that ends waits when it becomes readable; -1: there is none.
  ///   - isOver: tells whether waits are to end, and is asked ten times a second where there is no descriptor.
  ///   - note: told when a wait begins (true) and when it has ended, on the thread that waits.
  package init(endedBy end: Int32, or isOver: (() -> Bool)? = nil, telling note: ((_ begins: Bool) -> Void)? = nil) {
    (self.end, self.note) = (end, note)
    self.isOver = end < 0 ? isOver : nil
  }

  package static var endless: FileWait { FileWait(endedBy: -1) }

  /// True if something ends it.
  var canEnd: Bool { end >= 0 || isOver != nil }

  /// Waits for a descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: the file; nil: the end alone.
  ///   - events: the events of the file that end the wait.
  ///   - longest: the longest wait, in milliseconds; -1: there is none.
  /// - Returns: whether any of the events has come, and whether the wait is to end.
  func wait(
    for descriptor: Int32?, _ events: Int32 = POLLIN, atMost longest: Int32 = -1
  ) -> (isReady: Bool, isEnded: Bool) {
    var sources = [
      pollfd(fd: descriptor ?? -1, events: Int16(events), revents: 0),
      pollfd(fd: end, events: Int16(POLLIN), revents: 0),
    ]
    func look(_ time: Int32) { while poll(&sources, 2, time) < 0, errno == EINTR {} }
    func lookOften(_ isOver: () -> Bool) {
      let limit = longest < 0 ? nil : ContinuousClock.now + .milliseconds(Int(longest))
      while sources[0].revents == 0, !isOver(), limit.map({ .now < $0 }) ?? true { look(100) }
    }
    // A file that is ready needs no wait, and no listener hears of one.
    look(0)
    if sources.allSatisfy({ $0.revents == 0 }), longest != 0 {
      note?(true)
      if let isOver { lookOften(isOver) } else { look(longest) }
      note?(false)
    }
    return (sources[0].revents != 0, sources[1].revents != 0 || isOver?() ?? false)
  }
}
