import Synchronization

/// Whether there may be something to tell of a journal: any thread may ask, as often as it likes.
package final class JournalTrouble: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}

  package var isSet: Bool { flag.load(ordering: .relaxed) }

  package func set() { flag.store(true, ordering: .relaxed) }

  package func clear() { flag.store(false, ordering: .relaxed) }
}
