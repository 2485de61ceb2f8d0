import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Decides which thread processes a store's actions, and takes in what other threads bring meanwhile (R1, R2).
///
/// The word `owner` is zero while the store is idle, else the thread that drains it. Whoever finds it zero takes it with
/// one compare-and-swap and then has the queue and the state for itself. Everybody else appends to `incoming`, whose flag
/// the owner looks at before each enqueue, so that the order of enqueueing is one order for all threads.
@usableFromInline
struct StoreOwnership<Action: Sendable>: ~Copyable {
  @usableFromInline let owner = Atomic<UInt>(0)
  @usableFromInline let incomingFlag = Atomic<Bool>(false)
  @usableFromInline let incoming = Mutex<[Incoming<Action>]>([])

  @inlinable
  init() {}

  /// A word that tells this thread from all others, never zero.
  @inlinable
  static var currentThread: UInt { UInt(pthread_self()) }

  @inlinable
  var isMine: Bool { owner.load(ordering: .relaxed) == Self.currentThread }

  /// Whether somebody brought something that nobody took yet.
  ///
  /// `release`, `bring`, `tryAcquire` and this are sequentially consistent: of an owner that leaves and then looks, and a
  /// thread that brings something and then tries to acquire, at least one sees what the other did.
  @inlinable
  var hasIncoming: Bool { incomingFlag.load(ordering: .sequentiallyConsistent) }

  @inlinable
  borrowing func tryAcquire() -> Bool {
    owner.compareExchange(expected: 0, desired: Self.currentThread, ordering: .sequentiallyConsistent).exchanged
  }

  /// Gives the store back.
  @inlinable
  borrowing func release() { owner.store(0, ordering: .sequentiallyConsistent) }

  /// Leaves something for the owner.
  @usableFromInline
  borrowing func bring(_ entry: Incoming<Action>) {
    incoming.withLock { $0.append(entry) }
    incomingFlag.store(true, ordering: .sequentiallyConsistent)
  }

  /// Takes what was brought.
  @usableFromInline
  borrowing func take() -> [Incoming<Action>] {
    incoming.withLock { entries in
      incomingFlag.store(false, ordering: .relaxed)
      let taken = entries
      entries = []
      return taken
    }
  }
}
