import StoreCore

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
