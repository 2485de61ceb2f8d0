import Synchronization

/// A flag that any thread may ask.
package final class SharedFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}

  package var isSet: Bool { flag.load(ordering: .relaxed) }

  /// - Returns: what it was before.
  @discardableResult
  package func set(_ value: Bool) -> Bool {
    defer { flag.store(value, ordering: .relaxed) }
    return isSet
  }
}
