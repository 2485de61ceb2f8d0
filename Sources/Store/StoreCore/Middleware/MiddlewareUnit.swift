/// A named middleware of a flat composition.
///
/// A unit is attached to a store once; only then do its closures see the store's state, so that lifting costs nothing per
/// action. A class, because a store keeps the attachments of a unit across changes of the composition, by identity.
public final class MiddlewareUnit<Input, Output, State>: Sendable {
  /// Answers an action: what is to be done after the commit, or nil where the unit's input map does not accept it.
  public typealias Handler = @Sendable (Input, ActionContext) -> IO<Output>?

  /// The tools that a unit gets when it is attached.
  public struct Attachment: Sendable {
    /// Reads the state that the unit sees. Effects may keep it: once the store is gone it gives the last state.
    public let state: StateReader<State>
    /// The point at which the unit reports its doings.
    public let trace: TracePoint
    /// Starts, cancels and lists the unit's effects.
    public let effects: EffectScope
    /// Has the unit say, as a function of the state, which long-lived effects should be running (R33). The function is
    /// asked once the unit is attached and after every action. To be called while the unit is attached, and no later.
    public let supervise: @Sendable (@escaping @Sendable () -> [Supervised<Output>]) -> Void
    /// The same, said by what has changed, so that it costs as much as changes. The function says all where it is asked for the
    /// whole.
    public let superviseChanges: @Sendable (SupervisedStatement<Output>) -> Void

    /// Joins them.
    ///
    /// - Parameter superviseChanges: nil: what is said by its changes is said as a whole.
    @inlinable
    public init(
      state: StateReader<State>, trace: TracePoint, effects: EffectScope,
      supervise: @escaping @Sendable (@escaping @Sendable () -> [Supervised<Output>]) -> Void,
      superviseChanges: (@Sendable (SupervisedStatement<Output>) -> Void)? = nil
    ) {
      self.state = state
      self.trace = trace
      self.effects = effects
      self.supervise = supervise
      self.superviseChanges = superviseChanges ?? { supervise($0.whole()) }
    }

    /// The name of the unit in its store: its own, unless it was renamed on the way (``Middleware/prefixed(_:)``).
    public var name: String { effects.unit.unit }

    /// The same, where what the unit says should be running runs only while a condition holds, such as that a gate is open.
    @inlinable
    public func supervising(while condition: @escaping @Sendable () -> Bool) -> Attachment {
      let (supervise, superviseChanges) = (supervise, superviseChanges)
      return Attachment(
        state: state, trace: trace, effects: effects,
        supervise: { declare in
          // Asked in any case: a lift to elements learns here which of them are gone.
          supervise {
            let declared = declare()
            return condition() ? declared : []
          }
        },
        superviseChanges: { changes in superviseChanges(changes.held(while: condition)) })
    }
  }

  /// The name of the unit in traces, gates and listings.
  public let name: String
  /// False if it answers no action, and only states what should be running: its handler is never asked.
  public let looksAtActions: Bool
  @usableFromInline let attach: @Sendable (Attachment) -> Handler
  /// True for an action that the input maps of its lifts accept; nil: it is asked about all.
  @usableFromInline let accepts: (@Sendable (Input) -> Bool)?
  /// False for an action if it answers none of that kind; nil: it may answer all.
  @usableFromInline let takesKind: (@Sendable (Input) -> Bool)?

  /// A unit that makes its handler when it is attached.
  @inlinable
  public convenience init(name: String, attach: @escaping @Sendable (Attachment) -> Handler) {
    self.init(name: name, looksAtActions: true, attach: attach)
  }

  @inlinable
  init(
    name: String, looksAtActions: Bool, accepts: (@Sendable (Input) -> Bool)? = nil,
    takesKind: (@Sendable (Input) -> Bool)? = nil, attach: @escaping @Sendable (Attachment) -> Handler
  ) {
    self.name = name
    self.accepts = accepts
    self.takesKind = takesKind
    self.looksAtActions = looksAtActions
    self.attach = attach
  }

  /// False if it answers no action, or the input maps of its lifts keep this one from it.
  package func takes(_ action: Input) -> Bool { looksAtActions && accepts?(action) ?? true }

  /// The same unit, said to answer only actions of some kinds: a store that tells kinds apart asks it about no others.
  ///
  /// - Parameter takes: true for an action of such a kind, and for every other of that kind.
  package func taking(kinds takes: @escaping @Sendable (Input) -> Bool) -> MiddlewareUnit {
    MiddlewareUnit(name: name, looksAtActions: looksAtActions, accepts: accepts, takesKind: takes, attach: attach)
  }

  /// A unit that answers no action. It states, when it is attached, which long-lived effects should be running (R33).
  @inlinable
  public convenience init(name: String, stating: @escaping @Sendable (Attachment) -> Void) {
    self.init(name: name, looksAtActions: false) { attachment in
      stating(attachment)
      return { _, _ in nil }
    }
  }

  /// A unit that is asked about every action.
  @inlinable
  public convenience init(
    name: String, handle: @escaping @Sendable (Input, ActionContext, StateReader<State>) -> IO<Output>
  ) {
    self.init(name: name) { attachment in
      let state = attachment.state
      let trace = attachment.trace
      let name = attachment.name
      return { input, context in
        guard trace.isOn else { return handle(input, context, state) }
        let number = context.number
        trace.report(.handle(number: number, unit: name, state: state()))
        trace.begin(.handle, number: number, unit: name)
        let io = handle(input, context, state)
        trace.end(.handle, number: number, unit: name)
        guard !io.isNone else { return io }
        return IO { output in
          trace.report(.io(number: number, unit: name, state: state()))
          trace.begin(.io, number: number, unit: name)
          io.run(output)
          trace.end(.io, number: number, unit: name)
        }
      }
    }
  }

  /// The same unit attached by way of something else.
  @inlinable
  public func mapAttachment(_ transform: @escaping @Sendable (Attachment) -> Attachment) -> MiddlewareUnit {
    let attach = attach
    return MiddlewareUnit(
      name: name, looksAtActions: looksAtActions, accepts: accepts, takesKind: takesKind
    ) { attachment in
      attach(transform(attachment))
    }
  }

  /// The same unit with its handler changed once it is attached.
  @inlinable
  public func mapHandler(
    _ transform: @escaping @Sendable (@escaping Handler, Attachment) -> Handler
  ) -> MiddlewareUnit {
    let attach = attach
    return MiddlewareUnit(name: name, looksAtActions: looksAtActions, takesKind: takesKind) { attachment in
      transform(attach(attachment), attachment)
    }
  }
}
