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
