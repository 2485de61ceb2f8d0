/// A unit attached on behalf of all elements of a store's state: for each when it is first asked, until the element
/// goes.
@usableFromInline
final class AttachedElements<Elements: ElementReading, Input, Output, GlobalOutput>: @unchecked Sendable {
  // Safe: used only on the thread that owns the store, and by the thread that makes the store before that.
  @usableFromInline typealias Unit = MiddlewareUnit<Input, Output, Elements.Element>
  @usableFromInline typealias Attached = AttachedElement<Input, Output, Elements.Element>

  @usableFromInline let unit: Unit
  @usableFromInline let elements: Elements
  @usableFromInline let state: StateReader<Elements.Whole>
  @usableFromInline let trace: TracePoint
  @usableFromInline let effects: EffectScope
  /// True if there are several elements, so that tokens need telling apart.
  @usableFromInline let isAddressed: Bool
  @usableFromInline let output: @Sendable (Elements.ID, Output) -> GlobalOutput
  @usableFromInline var attached: [Elements.ID: Attached] = [:]
  /// True if the unit says what should be running; nil: it was not attached yet.
  @usableFromInline var supervises: Bool?
  @usableFromInline var round = 0

  @inlinable
  init(
    _ unit: Unit, elements: Elements, isAddressed: Bool, state: StateReader<Elements.Whole>, trace: TracePoint,
    effects: EffectScope, output: @escaping @Sendable (Elements.ID, Output) -> GlobalOutput
  ) {
    self.unit = unit
    self.elements = elements
    self.isAddressed = isAddressed
    self.state = state
    self.trace = trace
    self.effects = effects
    self.output = output
  }

  // MARK: Actions

  /// Asks the unit about one element, if it is there.
  @inlinable
  func handle(_ id: Elements.ID, _ local: Input, _ context: ActionContext) -> IO<GlobalOutput>? {
    guard let element = elements.element(id, in: state()) else { return nil }
    return ask(id, element, attachment(of: id, element), local, context)
  }

  /// Asks the unit about every element, in order; of two with one id, about the first.
  ///
  /// - Returns: the work to do for them, the last first (R9).
  @inlinable
  func handleEach(_ local: Input, _ context: ActionContext) -> IO<GlobalOutput>? {
    round += 1
    var isAsked = false
    var answers: [IO<GlobalOutput>] = []
    elements.walk(state()) { id, element in
      let one = attachment(of: id, element)
      guard one.round != round else { return true }
      one.round = round
      if let answer = ask(id, element, one, local, context) {
        isAsked = true
        if !answer.isNone { answers.append(answer) }
      }
      return true
    }
    guard isAsked else { return nil }
    guard !answers.isEmpty else { return .none }
    return IO { [answers] output in
      for answer in answers.reversed() { answer.run(output) }
    }
  }

  @inlinable
  func ask(
    _ id: Elements.ID, _ element: Elements.Element, _ one: Attached, _ local: Input, _ context: ActionContext
  ) -> IO<GlobalOutput>? {
    guard let io = one.handler(local, context) else { return nil }
    guard !io.isNone else { return .none }
    // Kept only where something is done later: a copy has the reducers copy what they change of the element.
    one.last.value = element
    let output = output
    return io.map { output(id, $0) }
  }

  @inlinable
  func attachment(of id: Elements.ID, _ element: Elements.Element) -> Attached {
    if let known = attached[id] { return known }
    let (elements, state) = (elements, state)
    let one = Attached(
      unit, element, trace: trace, effects: isAddressed ? effects.element(id) : effects,
      read: { elements.element(id, in: state()) })
    supervises = !one.declarations.isEmpty
    attached[id] = one
    return one
  }

  // MARK: The state

  /// Looks which elements there are: lets go of those that went, and stops what runs for them.
  ///
  /// - Returns: the effects that should be running for the others (R33).
  @inlinable
  func follow() -> [Supervised<GlobalOutput>] {
    if attached.isEmpty, supervises == false { return [] }
    let whole = state()
    round += 1
    if supervises == nil {
      elements.walk(whole) { id, element in
        _ = attachment(of: id, element)
        return false
      }
    }
    var present: [(Elements.ID, Attached)] = []
    if supervises == true {
      elements.walk(whole) { id, element in
        let one = attachment(of: id, element)
        if one.round != round { present.append((id, one)) }
        one.round = round
        return true
      }
    } else {
      markPresent(whole)
    }
    letGo()
    return present.flatMap { id, one in one.declarations.flatMap { $0() }.map { addressed($0, id) } }
  }

  /// Notes which of those that are attached are there.
  @inlinable
  func markPresent(_ whole: Elements.Whole) {
    if elements.findsQuickly {
      for (id, one) in attached where elements.element(id, in: whole) != nil { one.round = round }
      return
    }
    var missing = attached.count
    guard missing > 0 else { return }
    elements.walk(whole) { id, _ in
      guard let one = attached[id], one.round != round else { return true }
      one.round = round
      missing -= 1
      return missing > 0
    }
  }

  @inlinable
  func letGo() {
    let gone = attached.filter { $0.value.round != round }.keys
    guard !gone.isEmpty else { return }
    for id in gone { attached[id] = nil }
    if isAddressed { effects.end(elements: Set(gone.map { EffectToken($0) })) } else { effects.end() }
  }

  @inlinable
  func addressed(_ supervised: Supervised<Output>, _ id: Elements.ID) -> Supervised<GlobalOutput> {
    let output = output
    let mapped = supervised.map { output(id, $0) }
    return isAddressed ? mapped.element(id) : mapped
  }
}

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

// A middleware of one element as a middleware of the collection (R17). The unit is attached for an element when it is first
// asked about it, and forgotten when the element is gone.

extension Middleware {
  /// Makes this middleware one of a larger store: it runs on the element that an action is for, if there is one (R17).
  ///
  /// Each element has effects of its own: a token that one uses means nothing to another (D18). The long-lived effects
  /// of all elements run (R33). After every action, its IO included, the elements that are gone are forgotten and their
  /// effects cancelled, tokens or not. An effect ends by itself or with its owner (R18), which is the element. An
  /// element that comes later under the same id starts afresh. An element that went and came back within one action has
  /// never been gone. In IO the state is the live element or, if it went through this very action, what it was when the
  /// unit was asked. A unit says for every element or for none what should be running.
  ///
  /// - Parameters:
  ///   - input: the id and the local action in a global one, or nil: the middleware is skipped altogether (R14).
  ///   - output: the global action that stands for a local one of an element.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, Elements: ElementReading>(
    input: @escaping @Sendable (GlobalInput) -> (Elements.ID, Input)?,
    output: @escaping @Sendable (Elements.ID, Output) -> GlobalOutput, element elements: Elements
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    liftUnits(output, elements) { all, global, context in
      guard let (id, local) = input(global) else { return nil }
      return all.handle(id, local, context)
    }
  }

  /// Makes this middleware one of a larger store, the id and the local action in an ``ElementAction``.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, Elements: ElementReading>(
    input: @escaping @Sendable (GlobalInput) -> ElementAction<Elements.ID, Input>?,
    output: @escaping @Sendable (Elements.ID, Output) -> GlobalOutput, element elements: Elements
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    lift(input: { global in input(global).map { ($0.id, $0.action) } }, output: output, element: elements)
  }

  /// Makes this middleware one of a larger store: it runs on every element (R17).
  ///
  /// Each unit is asked about the elements in their order, before the next unit is. IO runs the other way round (R9).
  /// Units a and b over elements 1 and 2 are asked a1, a2, b1, b2, and act b2, b1, a2, a1. Of two elements with one id
  /// the first stands for both. Otherwise as the lift to one element.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped altogether (R14).
  ///   - output: the global action that stands for a local one of an element.
  ///   - elements: the way to the elements; see ``ElementPath``.
  @inlinable
  public func lift<GlobalInput, GlobalOutput, Elements: ElementReading>(
    input: @escaping @Sendable (GlobalInput) -> Input?,
    output: @escaping @Sendable (Elements.ID, Output) -> GlobalOutput, each elements: Elements
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    liftUnits(output, elements) { all, global, context in
      guard let local = input(global) else { return nil }
      return all.handleEach(local, context)
    }
  }

  @inlinable
  func liftUnits<GlobalInput, GlobalOutput, Elements: ElementReading>(
    _ output: @escaping @Sendable (Elements.ID, Output) -> GlobalOutput, _ elements: Elements,
    isAddressed: Bool = true,
    _ handle:
      @escaping @Sendable (
        AttachedElements<Elements, Input, Output, GlobalOutput>, GlobalInput, ActionContext
      ) -> IO<GlobalOutput>?
  ) -> Middleware<GlobalInput, GlobalOutput, Elements.Whole> where Elements.Element == State {
    Middleware<GlobalInput, GlobalOutput, Elements.Whole>(
      units: units.map { unit in
        MiddlewareUnit<GlobalInput, GlobalOutput, Elements.Whole>(name: unit.name) { attachment in
          let all = AttachedElements<Elements, Input, Output, GlobalOutput>(
            unit, elements: elements, isAddressed: isAddressed, state: attachment.state, trace: attachment.trace,
            effects: attachment.effects, output: output)
          attachment.supervise { all.follow() }
          return { global, context in handle(all, global, context) }
        }
      })
  }
}

extension Middleware {
  /// Makes this middleware one of a larger state that may hold a slice or not (row 78 of <doc:Coverage>).
  /// The middleware runs on the slice while there is one; otherwise it is not asked, and nothing of it runs.
  ///
  /// The IO of an action that made the slice go sees what it was when the unit was asked. After it the unit's effects are
  /// cancelled: they end by themselves or with their owner (R18), which is the slice.
  ///
  /// - Parameters:
  ///   - input: the local action in a global one, or nil: the middleware is skipped altogether (R14).
  ///   - output: the global action that stands for a local one.
  ///   - state: the slice; nil: there is none.
  @inlinable
  public func liftOptional<GlobalInput, GlobalOutput, GlobalState>(
    input: @escaping @Sendable (GlobalInput) -> Input?, output: @escaping @Sendable (Output) -> GlobalOutput,
    state: @escaping @Sendable (GlobalState) -> State?
  ) -> Middleware<GlobalInput, GlobalOutput, GlobalState> {
    liftUnits({ _, local in output(local) }, OptionalValue(state), isAddressed: false) { all, global, context in
      guard let local = input(global) else { return nil }
      return all.handle(.value, local, context)
    }
  }

  /// Makes this middleware one of an optional state.
  @inlinable
  public func liftOptional() -> Middleware<Input, Output, State?> {
    liftOptional(input: { $0 }, output: { $0 }, state: { $0 })
  }
}
