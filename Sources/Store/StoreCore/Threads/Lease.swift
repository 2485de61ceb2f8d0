import CReferences

/// The way to an object for parties that may outlive it: effects, sessions, subscriptions. It does not keep the object alive.
///
/// A weak reference gives the object a side table, and each of its references is counted by the slow path from then on. A lease
/// does not: the object ends it when it goes.
///
/// ```swift
/// final class Host: Sendable {
///   let lease = Lease<Host>()
///   init() { lease.begin(self) }
///   deinit { lease.end() }
/// }
/// ```
package final class Lease<Object: AnyObject> {
  /// The address of the object; 0: there is none.
  private let address = Lock<UInt>(0)

  /// A lease of no object yet.
  package init() {}

  /// Gives the object to those who have the lease. Once, before they ask.
  package func begin(_ object: Object) {
    let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    self.address.withLock { $0 = address }
  }

  /// Takes the object away: the object does so in its `deinit`, or before.
  package func end() { address.withLock { $0 = 0 } }

  /// The object; nil: it is gone, or about to go.
  package var object: Object? {
    // The object may be on its way to `end()` on another thread: a plain retain would not stop it. Its memory is there meanwhile,
    // since `end()` waits for the lock.
    let kept = address.withLock { address in
      UnsafeMutableRawPointer(bitPattern: address).flatMap { UInt(bitPattern: swift_tryRetain($0)) } ?? 0
    }
    return UnsafeRawPointer(bitPattern: kept).map { Unmanaged.fromOpaque($0).takeRetainedValue() }
  }
}

extension Lease: Sendable where Object: Sendable {}
