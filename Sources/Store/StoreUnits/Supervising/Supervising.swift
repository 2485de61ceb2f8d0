import StoreCore
import StoreSchema

extension Middleware {
  /// A middleware that keeps an effect running for each entry of a map (R33). An action costs what it changes, however many
  /// entries there are: the closure is asked for entries that are new or have changed, and for no others.
  ///
  /// ```swift
  /// .supervising("expiring", over: \.holds) { id, hold in
  ///   Supervised(id, at: hold.until) { $0.send(.expire(id: id)) }
  /// }
  /// ```
  ///
  /// An effect starts with its entry and stops with it. When an entry changes, its effect goes on, unless the
  /// closure gives another time, another reset key (`reset(on:)`) or another value to deliver (`delivering(_:)`).
  /// Lifted to the elements of a collection, the unit is asked for all entries.
  ///
  /// - Parameters:
  ///   - name: the name in traces, gates and listings; unique in a store.
  ///   - entries: the map.
  ///   - effect: the effect of an entry, whose id becomes the key; nil: the entry has none.
  @inlinable
  public static func supervising<Key: Hashable & Sendable, Entry: Sendable>(
    _ name: String, over entries: @escaping @Sendable (State) -> PersistentMap<Key, Entry>,
    _ effect: @escaping @Sendable (_ key: Key, _ entry: Entry) -> Supervised<Output>?
  ) -> Middleware {
    supervising(name, entries) { old, new, changes in
      PersistentMap<Key, Entry>.difference(old ?? [:], new) { key, _, entry in
        changes.add(EffectToken(key), entry.flatMap { effect(key, $0.pointee) })
      }
    }
  }

  /// A middleware that keeps an effect running for each element of a list (R33). An action costs what it changes, however
  /// many elements there are: the closure is asked for elements that are new or have changed, and for no others.
  ///
  /// ```swift
  /// .supervising("expiring", over: \.holds) { hold in
  ///   Supervised(hold.id, at: hold.until) { $0.send(.expire(id: hold.id)) }
  /// }
  /// ```
  ///
  /// Ids must not repeat. An effect starts with its element and stops with it. When an element changes, its effect goes on,
  /// unless the closure gives another time, another reset key or another value to deliver.
  ///
  /// - Parameters:
  ///   - name: the name in traces, gates and listings; unique in a store.
  ///   - elements: the list.
  ///   - effect: the effect of an element, whose id becomes that of the element; nil: the element has none.
  @inlinable
  public static func supervising<Element: Identifiable & Sendable>(
    _ name: String, over elements: @escaping @Sendable (State) -> PersistentList<Element>,
    _ effect: @escaping @Sendable (_ element: Element) -> Supervised<Output>?
  ) -> Middleware where Element.ID: Sendable {
    supervising(name, elements) { old, new, changes in
      PersistentList<Element>.difference(old ?? [], new) { id, _, element in
        changes.add(EffectToken(id), element.flatMap { effect($0.pointee) })
      }
    }
  }

  /// - Parameter compare: adds the id of each entry that came, went or changed, with its effect now.
  @inlinable
  static func supervising<Entries: Sendable>(
    _ name: String, _ entries: @escaping @Sendable (State) -> Entries,
    _ compare: @escaping @Sendable (_ old: Entries?, _ new: Entries, _ changes: inout SupervisedChanges<Output>) -> Void
  ) -> Middleware {
    Middleware(
      units: [
        MiddlewareUnit(
          name: name,
          stating: { attachment in
            let state = attachment.state
            let seen = SeenEntries<Entries>()
            attachment.superviseChanges(
              SupervisedStatement { isWhole in
                let old = isWhole ? nil : seen.entries
                let new = entries(state())
                seen.entries = new
                var changes = SupervisedChanges<Output>(isWhole: old == nil)
                compare(old, new, &changes)
                return changes
              })
          })
      ])
  }
}

/// The entries for which a unit has stated its effects.
@usableFromInline
final class SeenEntries<Entries>: @unchecked Sendable {
  // Safe: used by the thread that owns the store, which asks a unit for its statement.
  @exclusivity(unchecked) @usableFromInline var entries: Entries?

  @inlinable
  init() {}
}
