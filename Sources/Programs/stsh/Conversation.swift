import LineEditor
import StoreShell

struct Conversation {
  let prompt: Prompt
  private let editor: ReadlineEditor

  /// From now on the session may ask questions.
  init(_ session: Session, _ options: ProgramInvocation) throws {
    editor = try ReadlineEditor(program: "stsh", historyFile: HistoryFile(program: "stsh"))
    // A pager is a program that someone names.
    prompt = Prompt(session, on: editor, pager: options.noExec ? nil : .preferred)
  }

  /// Has it end where something outside ends the run.
  func obey(_ stop: RunStop) {
    prompt.stop = stop
    editor.stopDescriptor = stop.descriptor
  }

  /// Gives the terminal back.
  func close() { editor.close() }
}
