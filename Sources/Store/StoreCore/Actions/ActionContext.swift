/// The facts about the action being processed, beside the action itself.
///
/// A single reference, so that passing it to every unit and watcher, and keeping it, costs next to nothing.
public struct ActionContext: Sendable {
  @usableFromInline var storage: ActionContextStorage

  @inlinable
  init(_ storage: ActionContextStorage) { self.storage = storage }

  /// A context made from the facts that a store knew, for an action that is replayed or reduced outside a store.
  @inlinable
  public init(number: Int, source: ActionSource, time: Duration, root: Int) {
    storage = ActionContextStorage(source: source)
    storage.number = number
    storage.time = time
    storage.root = root
  }

  /// Describes another action, in the same storage if no copy refers to it: a replayed action then takes no allocation.
  ///
  /// - Parameter number: the action's, and that of its root.
  @inlinable
  package mutating func describe(_ number: Int, _ source: ActionSource, time: Duration) {
    ActionContextStorage.refill(&storage) { $0.become(source, askedFor: nil) }
    Unmanaged.passUnretained(storage)._withUnsafeGuaranteedRef { storage in
      (storage.number, storage.time, storage.root) = (number, time, number)
    }
  }

  /// The same for all copies of a context, and no other's as long as one of them is kept.
  @inlinable public var identity: ObjectIdentifier { ObjectIdentifier(storage) }

  /// The action's sequence number in its store, from 1, in the order of enqueueing.
  @inlinable public var number: Int { storage.number }
  /// The place that the action comes from.
  @inlinable public var source: ActionSource { storage.source }
  /// The time on the store's clock when the action was taken up; zero in a store without a clock.
  @inlinable public var time: Duration { storage.time }
  /// The action's own cause and all that it caused share this number: the action that was dispatched from outside.
  @inlinable public var root: Int { storage.root }
}

@usableFromInline
final class ActionContextStorage: @unchecked Sendable {
  // Safe: written only by the store or the rerun that made it, and, as the storage of a copy-on-write collection, only while nobody else
  // refers to it (``refill(_:_:)``); number, time and root before the store shows it to anybody.
  @exclusivity(unchecked) @usableFromInline var number = 0
  @exclusivity(unchecked) @usableFromInline var source: ActionSource
  @exclusivity(unchecked) @usableFromInline var time = Duration.zero
  @exclusivity(unchecked) @usableFromInline var root = 0

  @inlinable
  init(source: consuming ActionSource) { self.source = source }

  /// Has a storage describe an action with another source: the same storage where no context refers to it, so that an action takes no
  /// allocation.
  @inlinable
  @inline(__always)
  static func refill(_ storage: inout ActionContextStorage, _ describe: (inout ActionSource) -> Void) {
    if !isKnownUniquelyReferenced(&storage) { storage = ActionContextStorage(source: storage.source) }
    // Unmanaged, because counting references to it costs as much as a reducer; `storage` holds it.
    Unmanaged.passUnretained(storage)._withUnsafeGuaranteedRef { describe(&$0.source) }
  }
}
