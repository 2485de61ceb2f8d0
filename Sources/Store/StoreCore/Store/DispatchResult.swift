/// The result of a dispatch.
public struct DispatchResult: Sendable {
  /// The action's sequence number; nil while it waits in the queue of a store that is busy on another thread.
  public let number: Int?
  /// The outcome of the dispatch.
  public let outcome: Outcome

  @inlinable
  init(number: Int?, outcome: Outcome) {
    self.number = number
    self.outcome = outcome
  }

  /// The result for an action that is not processed, because nobody is left who would.
  package static var cancelled: DispatchResult { DispatchResult(number: nil, outcome: .stopped(.cancelled)) }

  /// The result for an action that comes when the program has closed its store.
  @usableFromInline package static var closed: DispatchResult {
    DispatchResult(number: nil, outcome: .stopped(.closed))
  }

  /// The ways in which a dispatch ends.
  public enum Outcome: Sendable {
    /// The action, and what it caused, was processed.
    case done
    /// The store is busy: the action waits behind what is already queued (R2).
    case queued
    /// A reducer failed: the state is as before, nobody was told, no IO ran (R7); what the queue held besides was
    /// processed.
    case failed(any Error)
    /// An interceptor took the action: nothing was reduced (R5).
    case dropped(by: String)
    /// Not all was done: the actions that it caused were stopped (R30), or an interceptor misbehaved (R5).
    indirect case stopped(StoreError)
  }

  /// Throws the error that the dispatch met, if any; to be dropped by an interceptor is none.
  public func get() throws {
    switch outcome {
    case .done, .queued, .dropped: return
    case .failed(let error): throw error
    case .stopped(let error): throw error
    }
  }
}
