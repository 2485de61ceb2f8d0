import DequeModule
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An action that waits in a store's queue.
@usableFromInline
struct QueuedAction<Action> {
  @usableFromInline let action: Action
  @usableFromInline let source: ActionSource
  @usableFromInline let number: Int
  @usableFromInline let root: Int

  @inlinable
  init(action: Action, source: ActionSource, number: Int, root: Int) {
    self.action = action
    self.source = source
    self.number = number
    self.root = root
  }
}

/// What came from other threads while a store was busy, in order.
@usableFromInline
enum Incoming<Action: Sendable>: Sendable {
  case action(Action, ActionSource)
  case job(Job)
}

/// Something to run between two actions, on the thread that owns the store.
@usableFromInline
struct Job: @unchecked Sendable {
  // Safe: the thread that brings a job waits until it has run, so only one of the two uses what it captures.
  let run: () -> Void
}

/// Decides which thread processes a store's actions, and takes in what other threads bring meanwhile (R1, R2).
///
/// The word `owner` is zero while the store is idle, else the thread that drains it. Whoever finds it zero takes it with
/// one compare-and-swap and then has the queue and the state for itself. Everybody else appends to `incoming`, whose flag
/// the owner looks at before each enqueue, so that the order of enqueueing is one order for all threads.
@usableFromInline
struct StoreOwnership<Action: Sendable>: ~Copyable {
  @usableFromInline let owner = Atomic<UInt>(0)
  @usableFromInline let hasIncoming = Atomic<Bool>(false)
  @usableFromInline let incoming = Mutex<[Incoming<Action>]>([])

  @inlinable
  init() {}

  /// A word that tells this thread from all others, never zero.
  @inlinable
  static var currentThread: UInt { UInt(pthread_self()) }

  @inlinable
  var isMine: Bool { owner.load(ordering: .relaxed) == Self.currentThread }

  @inlinable
  borrowing func tryAcquire() -> Bool {
    owner.compareExchange(expected: 0, desired: Self.currentThread, ordering: .acquiring).exchanged
  }

  /// Gives the store back. Sequentially consistent, like the flag in `bring`: of an owner that leaves and a thread that
  /// brings something, at least one sees what the other did.
  @inlinable
  borrowing func release() { owner.store(0, ordering: .sequentiallyConsistent) }

  /// Leaves something for the owner.
  @usableFromInline
  borrowing func bring(_ entry: Incoming<Action>) {
    incoming.withLock { $0.append(entry) }
    hasIncoming.store(true, ordering: .sequentiallyConsistent)
  }

  /// Takes what was brought.
  @usableFromInline
  borrowing func take() -> [Incoming<Action>] {
    incoming.withLock { entries in
      hasIncoming.store(false, ordering: .relaxed)
      let taken = entries
      entries = []
      return taken
    }
  }
}
