import Platform
import ShellLanguage
import StoreHost
import StoreSchema
import StoreShell

/// The interruption of what runs over there, from the moment at which the door was told of it.
struct AttachedInterruption {
  /// The time at which it was told.
  let start = ContinuousClock.now
  /// The time at which the door said something of what runs for the last time since.
  var heard = ContinuousClock.now
  /// True if somebody wanted it again.
  var isInsistent = false
  /// True if somebody was told that the door is silent.
  var hasToldOfSilence = false
}

/// The wait for a door, and its end where the door is silent.
extension AttachedShell {
  /// The silence of a door after which somebody at a prompt is told of it, and may leave.
  private static let patience = Duration.seconds(2)
  /// The longest wait of a run that is to end.
  private static let longestEnd = Duration.seconds(3)

  /// Waits until something arrives; an interruption is passed on. A run that is to end waits for a silent door three seconds at
  /// most, and until it is told again; somebody at a prompt until they interrupt again.
  func waitOrInterrupt() throws(ShellError) {
    while true {
      // What ends a run stays readable.
      let isEnding = interruption != nil && stop?.error != nil
      let (hasArrived, isInterrupted) = client.wait(
        or: isEnding ? -1 : interruptDescriptor, atMost: interruption == nil ? nil : .milliseconds(100))
      if isInterrupted, takeInterrupt() { try interrupt() }
      if hasArrived { return }
      if let interruption { try endWait(interruption) }
    }
  }

  private func interrupt() throws(ShellError) {
    let reason = stop?.error
    // The terminal has echoed ^C; what follows starts on a line of its own.
    if reason == nil { console.writeError("\n") }
    guard interruption == nil else {
      interruption?.isInsistent = true
      return
    }
    interruption = AttachedInterruption()
    try client.send { out in
      JSON.append("{\"interrupt\":true" as StaticString, to: &out)
      if let reason { out.append("code", reason.code.rawValue) }
      out.append("message", reason?.message ?? HostError.interrupted.message)
    }
  }

  /// Ends the wait for a door that does not follow an interruption, where nobody waits for it any longer.
  private func endWait(_ interruption: AttachedInterruption) throws(ShellError) {
    if let stop, let reason = stop.error {
      guard stop.isInsistent || .now - interruption.start > Self.longestEnd else { return }
      throw client.unanswered(reason)
    }
    guard .now - interruption.heard > Self.patience else { return }
    if interruption.isInsistent { throw client.unanswered(nil) }
    guard !interruption.hasToldOfSilence else { return }
    self.interruption?.hasToldOfSilence = true
    let note = "the door at \(client.address.text) does not answer; Ctrl-C again leaves"
    if options.isJSON {
      console.write(JSONReport.noted(note) + "\n")
      console.flush()
    } else {
      console.writeError("note: \(note)\n")
    }
  }
}

extension DoorMessage {
  /// The text that it says may stand at the cursor; none where the line is no place for it.
  func completion(at cursor: Int) -> LineCompletion {
    LineCompletion(
      replaceFrom: min(max(number("from") ?? cursor, 0), cursor),
      candidates: list("candidates").compactMap { candidate in
        guard let text = candidate.member("text")?.text else { return nil }
        return LineCompletion.Candidate(
          text: SafeText.line(text), display: candidate.member("display")?.text.map(SafeText.line),
          meaning: candidate.member("meaning")?.text.map(SafeText.line),
          suffix: SafeText.line(candidate.member("suffix")?.text ?? ""))
      }, note: text("note").map(SafeText.lines),
      rest: text("advice").map { advice in
        LineCompletion.Rest(
          count: number("more"), common: text("common").map(SafeText.line) ?? "", advice: SafeText.line(advice))
      })
  }
}
