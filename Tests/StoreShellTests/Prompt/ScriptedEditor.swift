@testable import StoreShell

/// An editor of which a test says what is typed.
final class ScriptedEditor: LineEditing {
  private var events: [LineEvent]
  /// The prompts that were shown.
  private(set) var prompts: [String] = []
  private(set) var history: [String] = []
  /// What `openLines` was at each wait.
  private(set) var open: [String?] = []
  var completer: ((_ line: String, _ cursor: Int) -> LineCompletion)?
  var openLines: String?
  let interruptDescriptor: Int32 = -1
  let screenSize = (rows: 24, columns: 80)

  init(_ events: [LineEvent]) { self.events = events }

  func nextEvent(prompt: String, until deadline: Duration?, wakeDescriptor: Int32?) throws -> LineEvent {
    prompts.append(prompt)
    open.append(openLines)
    return events.isEmpty ? .endOfInput : events.removeFirst()
  }

  func printAbove(_ text: String, to target: OutputTarget) {}
  func addHistory(_ statement: String) throws { history.append(statement) }
  func takeInterrupt() -> Bool { false }
  func close() {}
}
