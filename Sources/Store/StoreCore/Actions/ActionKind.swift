/// The kind of an action: each part of a store takes the actions of a kind, or takes none of them.
@usableFromInline
package struct ActionKind {
  @usableFromInline let object: Unmanaged<AnyObject>
  @usableFromInline let variant: UInt

  /// - Parameters:
  ///   - object: the same for all actions of the kind; each of them holds it.
  ///   - variant: a number up to 7 that tells those of one object apart.
  @inlinable
  package init(_ object: AnyObject, variant: UInt = 0) {
    self.object = .passUnretained(object)
    self.variant = variant
  }

  /// A number that no other kind has while the object is there: objects stand at multiples of 16.
  @inlinable var key: UInt { UInt(bitPattern: object.toOpaque()) | variant }
}

/// What takes the actions of each of the kinds that came so far, so that an action costs nothing for parts that take none of
/// its kind.
@usableFromInline
package final class KindTable<Action, Part: AnyObject> {
  @usableFromInline let kind: (Action) -> ActionKind
  private let make: (Action) -> Part
  /// Each with the object of its kind, so that no other has its key.
  private var known: [UInt: (object: AnyObject, part: Part)] = [:]
  /// Those of the latest kinds, each at the place that its key gives it until another takes that.
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
  ///   - make: makes what takes actions of the kind of one.
  package init(_ kind: @escaping (Action) -> ActionKind, make: @escaping (Action) -> Part) {
    self.kind = kind
    self.make = make
  }

  /// What takes actions of the kind of one. It is held until the next action is asked about.
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
