@testable import StoreShell

/// An editor of which a test says what is typed.
final class ScriptedEditor: LineEditing {
  private var events: [LineEvent]
  /// The prompts that were shown.
  private(set) var prompts: [String] = []
  private(set) var history: [String] = []
  /// What was printed above a line that is being edited.
  private(set) var above: [String] = []
  /// How long each wait was to last at most.
  private(set) var deadlines: [Duration?] = []
  /// Runs before each event is handed out.
  var onWait: () -> Void = {}
  /// What `openLines` was at each wait.
  private(set) var open: [String?] = []
  var completer: ((_ line: String, _ cursor: Int) -> LineCompletion)?
  var openLines: String?
  var proposedLine: String?
  var historyTimes: [Int?] { history.indices.map { $0 == 0 ? nil : 1_700_000_000 } }
  /// What stands for the key that interrupts.
  var key: InterruptKey?
  /// What keeps lines from being stored.
  var historyFailure: (any Error)?
  var interruptDescriptor: Int32 { key?.descriptor ?? -1 }
  let screenSize = (rows: 24, columns: 80)

  init(_ events: [LineEvent]) { self.events = events }

  func nextEvent(prompt: String, until deadline: Duration?, wakeDescriptors: [Int32]) throws -> LineEvent {
    prompts.append(prompt)
    open.append(openLines)
    deadlines.append(deadline)
    onWait()
    return events.isEmpty ? .endOfInput : events.removeFirst()
  }

  func printAbove(_ text: String, to target: OutputTarget) { above.append(text) }
  func addHistory(_ statement: String) throws {
    history.append(statement)
    if let historyFailure { throw historyFailure }
  }
  func takeInterrupt() -> Bool { key?.take() ?? false }
  func close() {}
}
