/// Watchers of the parts of one collection, each told of its own part only. A commit costs only its changes, however
/// many parts are watched. The store asks once which keys differ, and the watchers of the others are not even looked
/// at.
public final class PartWatchers<Key: Hashable & Sendable, Part>: Sendable {
  @usableFromInline let table: PartTable<Key, Part>
  @usableFromInline let read: @Sendable (Key) -> Part?
  @usableFromInline let visit: @Sendable (Job) -> Void
  @usableFromInline let visitLater: @Sendable (Job) -> Void
  // The store's subscription holds the table, not this: so the store stops telling once nobody holds this any more.
  @usableFromInline let subscription: Subscription

  @usableFromInline
  init(
    table: PartTable<Key, Part>, read: @escaping @Sendable (Key) -> Part?,
    visit: @escaping @Sendable (Job) -> Void, visitLater: @escaping @Sendable (Job) -> Void, subscription: Subscription
  ) {
    self.table = table
    self.read = read
    self.visit = visit
    self.visitLater = visitLater
    self.subscription = subscription
  }

  /// Tells a watcher of the part with a key, now and after every commit that changed it; nil: there is no such part.
  ///
  /// - Returns: the subscription; the watcher is told as long as it is kept.
  @inlinable
  public func watch(
    _ key: Key, _ name: String = "watcher", _ onChange: @escaping @Sendable (Notification<Part?>) -> Void
  ) -> Subscription {
    let watcher = PartWatcher(name: name, onChange: onChange)
    visit(
      Job { [self] in
        watcher.commit = table.commit
        table.told[key, default: []].append(watcher)
        let part = read(key)
        table.trace.report(.notified(number: 0, watcher: name, value: part as Any))
        onChange(Notification(old: nil, new: part, context: nil))
      })
    return Subscription { [self] in
      visitLater(
        Job { [self] in
          guard watcher.isActive else { return }
          watcher.isActive = false
          table.told[key]?.removeAll { $0 === watcher }
          if table.told[key]?.isEmpty == true { table.told[key] = nil }
        })
    }
  }
}

/// The watchers of each part.
@usableFromInline
final class PartTable<Key: Hashable & Sendable, Part>: @unchecked Sendable {
  // Safe: `told` is read and written only by the thread that owns the store, within `Store.visit` or a notification.
  @exclusivity(unchecked) @usableFromInline var told: [Key: [PartWatcher<Part>]] = [:]
  /// Counts the commits that watchers are told of.
  @exclusivity(unchecked) @usableFromInline var commit = 0
  @usableFromInline let trace: TracePoint

  @inlinable
  init(trace: TracePoint) { self.trace = trace }

  @inlinable
  func tell(_ key: Key, _ old: Part?, _ new: Part?, _ context: ActionContext) {
    guard let watchers = told[key] else { return }
    // A watcher that is cancelled meanwhile is not told any more. A watcher that is added meanwhile has got the value
    // already. Unmanaged, because the array keeps them: counting references to each would cost more than telling it.
    for index in watchers.indices {
      Unmanaged.passUnretained(watchers[index])._withUnsafeGuaranteedRef { $0.tell(old, new, context, commit, trace) }
    }
  }
}

/// Somebody who is told of one part.
@usableFromInline
final class PartWatcher<Part>: @unchecked Sendable {
  // Safe: the flag and the number are read and written only by the thread that owns the store, as the table that lists the
  // watcher.
  @exclusivity(unchecked) @usableFromInline var isActive = true
  /// The commit whose value it got when it was added.
  @exclusivity(unchecked) @usableFromInline var commit = 0
  @usableFromInline let name: String
  @usableFromInline let onChange: @Sendable (Notification<Part?>) -> Void

  @inlinable
  init(name: String, onChange: @escaping @Sendable (Notification<Part?>) -> Void) {
    self.name = name
    self.onChange = onChange
  }

  // A function of its own, because closures of an object that is an argument are called without reference counting.
  @inlinable
  @inline(never)
  func tell(_ old: Part?, _ new: Part?, _ context: ActionContext, _ commit: Int, _ trace: TracePoint) {
    guard isActive, self.commit != commit else { return }
    trace.report(.notified(number: context.number, watcher: name, value: new as Any))
    onChange(Notification(old: .some(old), new: new, context: context))
  }
}

extension Store {
  /// Lets the parts of a collection in the state be watched one by one. All of them are told at the place in the order
  /// of watchers (R11) at which this was called. Among them the order of the given keys counts.
  ///
  /// - Parameters:
  ///   - differing: the keys whose parts differ between two states, none for equal states; cheap where the collection
  ///     shares structure. If all watchers are told of parts, the policy `whenDifferent` leaves the comparison to it.
  ///   - part: the part with a key, nil where there is none.
  @inlinable
  public func watchParts<Key: Hashable & Sendable, Part, Keys: Sequence<Key>>(
    differing: @escaping @Sendable (_ before: State, _ now: State) -> Keys,
    part: @escaping @Sendable (State, Key) -> Part?
  ) -> PartWatchers<Key, Part> {
    let table = PartTable<Key, Part>(trace: trace)
    let subscription = register(
      "parts", comparesParts: true,
      tell: { before, now, context in
        guard !table.told.isEmpty else { return }
        table.commit &+= 1
        for key in differing(before, now) { table.tell(key, part(before, key), part(now, key), context) }
      }, first: { _ in })
    return PartWatchers<Key, Part>(
      table: table, read: { [owner] key in owner.withStore { part($0.state, key) } ?? nil },
      visit: { [owner] job in owner.withStore { store in store.visit { job.run() } } },
      visitLater: { [owner] job in owner.withStore { $0.visitLater(job) } }, subscription: subscription)
  }
}
