import StoreCore

/// Keeps what the units of a store emit, in order, from whatever thread, in place of the store's queue.
final class EmissionCollector<Action: Sendable>: Sendable {
  private struct Contents {
    var waiting: [Emission<Action>] = []
    var errors: [any Error] = []
    var isBuilt = false
    var isClosed = false
  }

  private let contents = Lock(Contents())

  /// The emissions that wait, the oldest first.
  var waiting: [Emission<Action>] { contents.withLock { $0.waiting } }

  /// Takes the oldest.
  func takeFirst() -> Emission<Action>? {
    contents.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// True once the store is made.
  var isBuilt: Bool { contents.withLock { $0.isBuilt } }

  /// Notes that the store is made.
  func finishBuilding() { contents.withLock { $0.isBuilt = true } }

  /// Notes an error that reached nobody who dispatched.
  func note(_ error: any Error) { contents.withLock { $0.errors.append(error) } }

  /// Takes those errors.
  func takeErrors() -> [any Error] {
    contents.withLock { contents in
      defer { contents.errors = [] }
      return contents.errors
    }
  }

  /// Notes what was emitted since the last call counts for (R30); 0: for itself.
  func settle(root: Int) {
    contents.withLock { contents in
      for index in contents.waiting.indices where contents.waiting[index].root == nil {
        contents.waiting[index].root = root
      }
    }
  }

  /// Keeps an action.
  ///
  /// - Parameters:
  ///   - unit: the unit that emits it.
  ///   - cause: the number of the action that causes it, where its source does not name one.
  ///   - onDone: is called once the action is done, or will not be processed any more.
  func collect(
    _ dispatched: DispatchedAction<Action>, from unit: String, cause: Int?,
    onDone: (@Sendable (DispatchResult) -> Void)? = nil
  ) {
    var source = dispatched.source
    if source.cause == nil { source.cause = cause }
    let emission = Emission(
      dispatched: DispatchedAction(dispatched.action, source: source), unit: unit, onDone: onDone)
    let isKept = contents.withLock { contents in
      if !contents.isClosed { contents.waiting.append(emission) }
      return !contents.isClosed
    }
    if !isKept { onDone?(.cancelled) }
  }

  /// Keeps nothing any more; who waits for an action is told that it will not be processed.
  func close() {
    let left = contents.withLock { contents in
      defer { contents.waiting = [] }
      contents.isClosed = true
      return contents.waiting
    }
    for emission in left { emission.onDone?(.cancelled) }
  }
}

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

extension Interceptor {
  /// The same interceptor, what it and its effects dispatch kept by a collector instead of being enqueued. A caller
  /// that waits until an action is done waits until it was received.
  func collecting(_ collector: EmissionCollector<Action>) -> Interceptor {
    let name = name
    return mapAttachment { attachment in
      let output = ActionHandler<Action> { dispatched in
        // The store refuses what is dispatched while the chain is built.
        guard collector.isBuilt else { return attachment.output.dispatch(dispatched) }
        collector.collect(dispatched, from: name, cause: attachment.context()?.number)
      }
      return attachment.leading(
        to: output,
        outputOfAction: { context in
          ActionHandler { collector.collect($0, from: name, cause: context.number) }
        },
        wait: { dispatched, _ in
          await withCheckedContinuation { continuation in
            collector.collect(dispatched, from: name, cause: nil) { continuation.resume(returning: $0) }
          }
        })
    }
  }
}

extension Middleware where Input == Output, Output: Sendable {
  /// The same units, what they emit kept by a collector instead of being enqueued.
  func collecting(_ collector: EmissionCollector<Output>) -> Middleware {
    Middleware(
      units: units.map { unit in
        let name = unit.name
        let supervised = unit.mapAttachment { attachment in
          MiddlewareUnit.Attachment(state: attachment.state, trace: attachment.trace, effects: attachment.effects) {
            declare in
            attachment.supervise { declare().map { $0.collecting(collector, from: name) } }
          }
        }
        return supervised.mapHandler { inner, _ in
          { action, context in
            guard let io = inner(action, context) else { return nil }
            guard !io.isNone else { return io }
            let number = context.number
            return IO { _ in
              io.run(ActionHandler { collector.collect($0, from: name, cause: number) })
            }
          }
        }
      })
  }
}

extension Supervised where Output: Sendable {
  /// The same, what it emits kept by a collector.
  fileprivate func collecting(_ collector: EmissionCollector<Output>, from unit: String) -> Supervised {
    mapOutput { action, _ in
      // 0: the first state called for the effect, not an action.
      ActionHandler { collector.collect($0, from: unit, cause: action.number == 0 ? nil : action.number) }
    }
  }
}
