import Synchronization

/// Watchers of the parts of one collection, each told of its own part only. A commit costs what it changed, however many
/// parts are watched: the store asks once which keys differ, and the watchers of the others are not even looked at.
public final class PartWatchers<Key: Hashable & Sendable, Part>: @unchecked Sendable {
  // Safe: `told` is read and written only by the thread that owns the store, within `Store.exclusively` or a notification.
  @usableFromInline
  struct Entry {
    @usableFromInline let id: Int
    @usableFromInline let name: String
    @usableFromInline let onChange: @Sendable (Notification<Part?>) -> Void

    @inlinable
    init(id: Int, name: String, onChange: @escaping @Sendable (Notification<Part?>) -> Void) {
      self.id = id
      self.name = name
      self.onChange = onChange
    }
  }

  @usableFromInline var told: [Key: [Entry]] = [:]
  @usableFromInline var nextId = 0
  @usableFromInline let read: @Sendable (Key) -> Part?
  @usableFromInline let exclusively: @Sendable (Job) -> Void
  @usableFromInline let later: @Sendable (Job) -> Void
  @usableFromInline let trace: TracePoint
  @usableFromInline var subscription: Subscription?

  @usableFromInline
  init(
    read: @escaping @Sendable (Key) -> Part?, exclusively: @escaping @Sendable (Job) -> Void,
    later: @escaping @Sendable (Job) -> Void, trace: TracePoint
  ) {
    self.read = read
    self.exclusively = exclusively
    self.later = later
    self.trace = trace
  }

  /// Tells a watcher of the part with a key, now and after every commit that changed it; nil: there is no such part.
  ///
  /// - Returns: the subscription; the watcher is told as long as it is kept.
  @inlinable
  public func watch(
    _ key: Key, _ name: String = "watcher", _ onChange: @escaping @Sendable (Notification<Part?>) -> Void
  ) -> Subscription {
    var id = 0
    exclusively(
      Job { [self] in
        nextId += 1
        id = nextId
        told[key, default: []].append(Entry(id: id, name: name, onChange: onChange))
        let part = read(key)
        trace.report(.notified(number: 0, watcher: name, value: part as Any))
        onChange(Notification(old: nil, new: part, context: nil))
      })
    return Subscription { [self, id] in
      later(
        Job { [self] in
          told[key]?.removeAll { $0.id == id }
          if told[key]?.isEmpty == true { told[key] = nil }
        })
    }
  }

  @inlinable
  func tell(_ key: Key, _ old: Part?, _ new: Part?, _ context: ActionContext) {
    guard let entries = told[key] else { return }
    for entry in entries where told[key]?.contains(where: { $0.id == entry.id }) == true {
      trace.report(.notified(number: context.number, watcher: entry.name, value: new as Any))
      entry.onChange(Notification(old: .some(old), new: new, context: context))
    }
  }
}

extension Store {
  /// Lets the parts of a collection in the state be watched one by one. All of them are told at the place in the order of
  /// watchers (R11) at which this was called, in the order of the keys given.
  ///
  /// - Parameters:
  ///   - differing: the keys whose parts differ between two states, cheap where the collection shares structure.
  ///   - part: the part with a key, nil where there is none.
  @inlinable
  public func watchParts<Key: Hashable & Sendable, Part, Keys: Sequence<Key>>(
    differing: @escaping @Sendable (_ before: State, _ now: State) -> Keys,
    part: @escaping @Sendable (State, Key) -> Part?
  ) -> PartWatchers<Key, Part> {
    let parts = PartWatchers<Key, Part>(
      read: { [weak self] key in self.flatMap { part($0.state, key) } },
      exclusively: { [weak self] job in self?.exclusively { job.run() } },
      later: { [weak self] job in self?.later(job) }, trace: trace)
    parts.subscription = register(
      "parts",
      tell: { [weak parts] before, now, context in
        guard let parts, !parts.told.isEmpty else { return }
        for key in differing(before, now) { parts.tell(key, part(before, key), part(now, key), context) }
      }, first: { _ in })
    return parts
  }
}
