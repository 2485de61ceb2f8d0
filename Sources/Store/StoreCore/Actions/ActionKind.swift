/// The kind of an action: each part of a store takes the actions of a kind, or takes none of them.
@usableFromInline
package struct ActionKind {
  @usableFromInline let object: Unmanaged<AnyObject>
  @usableFromInline let variant: UInt

  /// - Parameters:
  ///   - object: all actions of the kind hold it.
  ///   - variant: a number up to 7. Kinds that have one object differ in it.
  @inlinable
  package init(_ object: AnyObject, variant: UInt = 0) {
    self.object = .passUnretained(object)
    self.variant = variant
  }

  /// A number that no other kind has while the object is there: objects stand at multiples of 16.
  @inlinable var key: UInt { UInt(bitPattern: object.toOpaque()) | variant }
}

/// The parts of a store by kinds of actions: an action costs nothing for a part that takes none of its kind.
@usableFromInline
package final class KindTable<Action, Part: AnyObject> {
  @usableFromInline let kind: (Action) -> ActionKind
  private let make: (Action) -> Part
  /// Each with the object of its kind, so that no other has its key.
  private var known: [UInt: (object: AnyObject, part: Part)] = [:]
  /// The parts of the latest kinds. Each stands at a place that follows from its key, until another part takes the place.
  @exclusivity(unchecked) @usableFromInline var recent = [Recent](repeating: Recent(), count: 64)

  @usableFromInline
  struct Recent {
    @usableFromInline var key: UInt = 0
    @usableFromInline var part: Unmanaged<Part>?

    @usableFromInline init() {}
  }

  private static var most: Int { 1024 }

  /// - Parameters:
  ///   - kind: tells kinds apart.
  ///   - make: makes the part for an action, which takes all actions of its kind.
  package init(_ kind: @escaping (Action) -> ActionKind, make: @escaping (Action) -> Part) {
    self.kind = kind
    self.make = make
  }

  /// The part that takes an action. The table holds the part until the next action comes.
  @inlinable
  package func part(for action: Action) -> Unmanaged<Part> {
    let kind = kind(action)
    let place = Int(truncatingIfNeeded: kind.key >> 4 ^ kind.variant) & 63
    if recent[place].key == kind.key, let part = recent[place].part { return part }
    return find(kind, at: place, for: action)
  }

  @usableFromInline
  @inline(never)
  func find(_ kind: ActionKind, at place: Int, for action: Action) -> Unmanaged<Part> {
    if known.count == Self.most {
      known = [:]
      recent = Array(repeating: Recent(), count: recent.count)
    }
    let part = known[kind.key]?.part ?? make(action)
    known[kind.key] = (kind.object.takeUnretainedValue(), part)
    (recent[place].key, recent[place].part) = (kind.key, .passUnretained(part))
    return .passUnretained(part)
  }
}
