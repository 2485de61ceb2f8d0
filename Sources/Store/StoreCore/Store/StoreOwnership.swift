import Synchronization

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Decides which thread processes a store's actions, and takes in what other threads bring meanwhile (R1, R2).
///
/// The word `owner` is zero while the store is idle, else the thread that drains it, or ``OwningThread/handedOn``. Whoever
/// finds it zero takes it with one compare-and-swap and then has the queue and the state for itself. Everybody else
/// pushes onto `incoming`, a stack without locks. The owner looks there before each enqueue, so that the order of
/// enqueueing is the same for all threads.
///
/// A store that closes sets the lowest bit of `incoming`. The push of an action and that bit meet in one atomic word: an action
/// is either here before the bit, or refused.
@usableFromInline
struct StoreOwnership<Action: Sendable>: ~Copyable {
  @usableFromInline let owner = OwningThread()
  /// The address of the newest node, and the lowest bit, which refuses actions. Each node holds a reference to itself while it
  /// is here.
  @usableFromInline let incoming = Atomic<UInt>(0)
  /// The bit that refuses actions; no address of a node has it.
  @usableFromInline static var isShut: UInt { 1 }

  @inlinable
  init() {}

  // Swift 6.3.1 stops in release builds where it inlines this into the inlinable initialiser of a store.
  @inline(never)
  deinit { _ = take() }

  @inlinable
  var isMine: Bool { owner.isMine }

  /// True if somebody brought something that nobody took yet.
  ///
  /// `release`, `bring`, `tryAcquire` and this are sequentially consistent. An owner leaves and then looks; a thread
  /// brings something and then tries to acquire. At least one of the two sees the act of the other.
  @inlinable
  var hasIncoming: Bool { incoming.load(ordering: .sequentiallyConsistent) > Self.isShut }

  @inlinable
  borrowing func tryAcquire() -> Bool {
    owner.word.compareExchange(expected: 0, desired: OwningThread.current, ordering: .sequentiallyConsistent).exchanged
  }

  /// Takes a store that another thread has, if that gives it back within some microseconds. To leave an action to others costs
  /// more than that, and as long as actions come faster than others process them nobody could have it again.
  @usableFromInline
  borrowing func acquireSoon() -> Bool {
    guard !isMine else { return false }
    let end = Self.now + 10_000
    repeat {
      if owner.word.load(ordering: .relaxed) == 0, tryAcquire() { return true }
    } while Self.now < end
    return false
  }

  /// The monotonic clock, in nanoseconds.
  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// Gives the store back.
  @inlinable
  borrowing func release() { owner.word.store(0, ordering: .sequentiallyConsistent) }

  /// Gives the store to the worker thread, which takes it by ``takeOver()``.
  borrowing func handOn() { owner.word.store(OwningThread.handedOn, ordering: .sequentiallyConsistent) }

  /// Takes the store that was handed to this thread.
  borrowing func takeOver() { _ = owner.word.exchange(OwningThread.current, ordering: .sequentiallyConsistent) }

  /// Leaves something for the owner.
  ///
  /// - Returns: false where it is an action, and the store takes none any more.
  @inlinable
  @discardableResult
  borrowing func bring(_ entry: Incoming<Action>) -> Bool {
    let node = IncomingNode(entry)
    let unmanaged = Unmanaged.passRetained(node)
    let address = UInt(bitPattern: unmanaged.toOpaque())
    let isAction = if case .action = entry { true } else { false }
    var newest = incoming.load(ordering: .relaxed)
    while true {
      let shut = newest & Self.isShut
      if isAction, shut != 0 {
        unmanaged.release()
        return false
      }
      node.older = newest & ~Self.isShut
      let (isPushed, present) = incoming.weakCompareExchange(
        expected: newest, desired: address | shut, ordering: .sequentiallyConsistent)
      if isPushed { return true }
      newest = present
    }
  }

  /// Refuses actions from now on; those that are here stay.
  borrowing func shut() { incoming.bitwiseOr(Self.isShut, ordering: .sequentiallyConsistent) }

  /// Takes what was brought, the oldest first. All of it at once, so that no node that is looked at can be pushed again.
  ///
  /// - Returns: each entry, and the thread that brought it.
  @inlinable
  borrowing func take() -> [(entry: Incoming<Action>, thread: UInt)] {
    var next = incoming.bitwiseAnd(Self.isShut, ordering: .sequentiallyConsistent).oldValue & ~Self.isShut
    var entries: [(entry: Incoming<Action>, thread: UInt)] = []
    while let pointer = UnsafeRawPointer(bitPattern: next) {
      let node = Unmanaged<IncomingNode<Action>>.fromOpaque(pointer).takeRetainedValue()
      entries.append((node.entry, node.thread))
      next = node.older
    }
    entries.reverse()
    return entries
  }
}

/// The thread that owns a store: apart from the store, for those that may outlive it.
@usableFromInline
final class OwningThread: Sendable {
  /// Zero: none does.
  @usableFromInline let word = Atomic<UInt>(0)

  @inlinable
  init() {}

  /// The word of a store that is on its way to its worker thread; no thread's.
  static let handedOn: UInt = 1

  /// A word that tells this thread from all others: an address, and so neither zero nor one.
  @inlinable
  static var current: UInt {
    #if canImport(Musl)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
  }

  @inlinable
  var isMine: Bool { word.load(ordering: .relaxed) == Self.current }
}

/// An entry that a thread left for the owner of a store.
@usableFromInline
final class IncomingNode<Action: Sendable> {
  @usableFromInline let entry: Incoming<Action>
  @usableFromInline let thread = OwningThread.current
  /// The address of the node that was pushed before, 0: none was; set by the thread that pushes this one, before others can see it.
  @exclusivity(unchecked) @usableFromInline var older: UInt = 0

  @inlinable
  init(_ entry: Incoming<Action>) { self.entry = entry }
}
