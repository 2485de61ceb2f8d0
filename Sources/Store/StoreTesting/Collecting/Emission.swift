import StoreCore

/// An action that a unit of a test store emitted, and that waits to be received.
public struct Emission<Action> {
  /// The action and where it comes from; its cause is the action whose processing, or whose effect, emitted it.
  public let dispatched: DispatchedAction<Action>
  /// The middleware or interceptor that emitted it.
  public let unit: String
  /// The root that it counts for: that of the step that it was emitted in. 0: the step was no action; nil: the step is
  /// still on.
  var root: Int?
  /// Is called once the action is done, or will not be processed any more.
  var onDone: (@Sendable (DispatchResult) -> Void)?

  /// The action.
  public var action: Action { dispatched.action }

  /// The origin for failure texts: `unit load at App/Load.swift:12, caused by #3`.
  var origin: String {
    let source = dispatched.source
    let cause = source.cause.map { ", caused by #\($0)" } ?? ""
    return "unit \(unit) at \(source.file):\(source.line)\(cause)"
  }
}

extension Emission: Sendable where Action: Sendable {}
