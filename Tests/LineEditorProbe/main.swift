// A prompt around a ReadlineEditor that says which events it gets, for the tests to drive through a pseudo-terminal.
//
//   LineEditorProbe [--history FILE] [--wake DESCRIPTOR] [--tick]
//
// `--wake` prints what arrives on the descriptor above the line; `--tick` prints a line a second, to try by hand.
import Glibc
import LineEditor
import StoreShell

func option(_ name: String) -> String? {
  guard let index = CommandLine.arguments.firstIndex(of: name), index + 1 < CommandLine.arguments.count else {
    return nil
  }
  return CommandLine.arguments[index + 1]
}

func completion(_ line: String, _ cursor: Int) -> LineCompletion {
  let before = String(decoding: line.utf8.prefix(cursor), as: UTF8.self)
  let word = before.split(separator: " ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
  let start = before.utf8.count - word.utf8.count
  if before == "dispatch counter.increment " { return LineCompletion(replaceFrom: start, note: "signature by:Int?") }
  if word.hasPrefix("many") {
    let candidates = (0..<500).map { LineCompletion.Candidate(text: "many.candidate.1\($0)") }
    return LineCompletion(replaceFrom: start, candidates: candidates)
  }
  let all: [LineCompletion.Candidate] = [
    .init(text: "dispatch"), .init(text: "describe"), .init(text: "counter", suffix: "."),
    .init(text: "counter.increment"), .init(text: "counter.decrement"),
    .init(text: "by", display: "by=  Int?", suffix: "="),
    .init(text: "größe"),
  ]
  let fitting = all.filter { $0.text.hasPrefix(word) && (word.contains(".") || !$0.text.contains(".")) }
  return LineCompletion(replaceFrom: start, candidates: fitting)
}

do {
  let editor = try ReadlineEditor(
    program: "probe", historyFile: option("--history").map { HistoryFile(path: $0) { 1_700_000_000 } })
  defer { editor.close() }
  editor.completer = completion
  let wake = option("--wake").flatMap { Int32($0) }
  let tick: Duration? = CommandLine.arguments.contains("--tick") ? .seconds(1) : nil
  var ticks = 0
  loop: while true {
    let event = try editor.nextEvent(
      prompt: editor.openLines == nil ? "\u{1B}[1mprobe>\u{1B}[0m " : "  (> ", until: tick,
      wakeDescriptors: wake.map { [$0] } ?? [])
    switch event {
    case .woken:
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(wake ?? -1, &buffer, buffer.count)
      editor.printAbove(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self), to: .standardError)
    case .deadline:
      ticks += 1
      editor.printAbove("[tick \(ticks)]", to: .standardError)
    case .line(let line):
      try editor.addHistory(line)
      print(event)
      switch line {
      case "history": print(editor.history)
      case "open": editor.openLines = "first (line"
      case "sleep":
        print("running")
        while !ReadlineEditor.interruptPending { usleep(10_000) }
        print("taken \(editor.takeInterrupt()) \(editor.takeInterrupt())")
      default: editor.openLines = nil
      }
    case .statement:
      print(event)
      editor.openLines = nil
    case .interrupted:
      print(event)
      editor.openLines = nil
    case .endOfInput, .hangUp:
      print(event)
      break loop
    }
  }
} catch {
  print("failed: \(error)")
  exit(1)
}
