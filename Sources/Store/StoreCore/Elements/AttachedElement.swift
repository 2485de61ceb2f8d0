/// A unit that was attached on behalf of one element.
@usableFromInline
final class AttachedElement<Input, Output, Element> {
  @usableFromInline typealias Unit = MiddlewareUnit<Input, Output, Element>

  @usableFromInline let handler: Unit.Handler
  /// The unit's statements of what should be running for the element.
  @usableFromInline let declarations: [@Sendable () -> [Supervised<Output>]]
  @usableFromInline let last: LastValue<Element>
  /// The last look at the state that found the element.
  @usableFromInline var round = 0

  /// - Parameters:
  ///   - element: the element as it is now.
  ///   - read: gives the live element; nil: it is gone.
  @inlinable
  init(
    _ unit: Unit, _ element: Element, trace: TracePoint, effects: EffectScope,
    read: @escaping @Sendable () -> Element?
  ) {
    let last = LastValue(element)
    self.last = last
    let collected = Declarations<Output>()
    // Weak: what comes later than the attaching is not heard, and what a unit keeps does not keep itself.
    handler = unit.attach(
      Unit.Attachment(state: StateReader { read() ?? last.value }, trace: trace, effects: effects) {
        [weak collected] in collected?.all.append($0)
      })
    declarations = collected.all
  }
}

/// Takes what a unit declares while it is attached.
@usableFromInline
final class Declarations<Output>: @unchecked Sendable {
  // Safe: used only by the thread that attaches the unit, while it does.
  @usableFromInline var all: [@Sendable () -> [Supervised<Output>]] = []

  @inlinable
  init() {}
}

/// The value of an element when the unit was last asked: what there is to read once the element is gone.
@usableFromInline
final class LastValue<Value>: @unchecked Sendable {
  // Safe: read and written under the lock only. The value is part of a store's state, which its readers hand to any thread.
  private let lock = Lock(())
  private var current: Value

  @usableFromInline
  init(_ value: Value) { current = value }

  @usableFromInline var value: Value {
    get {
      var copy: Value?
      lock.withLock { _ in copy = current }
      // The closure has run, so that there is a copy.
      return copy ?? current
    }
    set {
      // The old value is let go of outside the lock.
      var other = newValue
      lock.withLock { _ in swap(&current, &other) }
    }
  }
}
