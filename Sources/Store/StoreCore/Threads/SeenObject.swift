import Synchronization

/// An object that one thread at a time replaces again and again, and others look at now and then. Whoever replaces it waits for nobody,
/// and takes no lock for each of a million.
///
/// Of no type: code of a generic type is not specialised in other modules, and looks its types up with each call.
package struct SeenObject: ~Copyable, @unchecked Sendable {
  // Safe: only objects that are `Sendable` are shown, and each look has a reference of its own.
  /// The address of the object, with a reference to it; 0: there is none, or somebody looks at it at this moment.
  private let place = Atomic<UInt>(0)
  /// Has one look at a time.
  private let looking = Lock(())

  package init() {}

  deinit { Self.release(place.load(ordering: .acquiring)) }

  /// Shows an object from now on: one that is `Sendable`.
  package func show(_ object: AnyObject) { replace(by: Unmanaged<AnyObject>.passRetained(object)) }

  /// Shows none from now on, though a look under way may leave the former one to be seen until the next is shown.
  package func hide() { replace(by: nil) }

  @inline(__always)
  private func replace(by object: Unmanaged<AnyObject>?) {
    let address = if let object { UInt(bitPattern: object.toOpaque()) } else { 0 as UInt }
    Self.release(place.exchange(address, ordering: .acquiringAndReleasing))
  }

  package var object: AnyObject? {
    let taken = looking.withLock { _ -> UInt in
      // Taken out, so that nobody lets go of it meanwhile.
      let taken = place.exchange(0, ordering: .acquiringAndReleasing)
      guard let object = Self.object(at: taken) else { return 0 }
      _ = object.retain()
      let isLeft = place.compareExchange(expected: 0, desired: taken, ordering: .acquiringAndReleasing).exchanged
      // Another is shown by now.
      if !isLeft { object.release() }
      return taken
    }
    return Self.object(at: taken)?.takeRetainedValue()
  }

  @inline(__always)
  private static func object(at address: UInt) -> Unmanaged<AnyObject>? {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
    return Unmanaged.fromOpaque(pointer)
  }

  @inline(__always)
  private static func release(_ address: UInt) { if let object = object(at: address) { object.release() } }
}
