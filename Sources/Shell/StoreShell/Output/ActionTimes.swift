import StoreCore
import StoreUnits

struct ActionTimes: Sendable {
  /// The whole action.
  let action: PhaseSpan
  /// The phases of its units, in the order in which they began.
  let phases: [PhaseSpan]

  /// A receiver of spans that hands over the times of each action when it ends.
  static func receiver(_ tell: @escaping (ActionTimes) -> Void) -> (SpanEvent) -> Void {
    // Events bring their times, so the recorder's own clock is never asked.
    let recorder = SpanRecorder(clock: { .zero })
    var phases: [PhaseSpan] = []
    return { event in
      recorder.receive(event)
      for span in recorder.takeEnded() {
        switch span.phase {
        case .queue, .effect: break
        case .action:
          tell(ActionTimes(action: span, phases: phases.sorted { $0.begin < $1.begin }))
          phases = []
        default: phases.append(span)
        }
      }
    }
  }
}
