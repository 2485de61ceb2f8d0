import ShellLanguage
import StoreSchema

/// A line that fails with a code, its message, and what to do then.
struct ErrorExample: Sendable {
  let line: String
  let message: String
  /// The line to write instead; nil: the remedy is more than a line.
  let instead: String?
  /// What to do, in a sentence or two.
  let remedy: String?

  private init(_ line: String, _ message: String, instead: String) {
    (self.line, self.message, self.instead, remedy) = (line, message, instead, nil)
  }

  init(_ line: String, _ message: String, remedy: String) {
    (self.line, self.message, instead, self.remedy) = (line, message, nil, remedy)
  }

  /// The example of each error.
  static let all = alone.merging(elsewhere) { alone, _ in alone }

  /// The error and what to do, as they look in a program.
  ///
  /// - Parameters:
  ///   - isHosted: true if the line is one of the program's own store; else only the remedy means something there.
  ///   - width: the width of the terminal; nil: there is none.
  func text(_ code: ErrorCode, program: String, isHosted: Bool, width: Int?) -> String {
    func given(_ line: String) -> String {
      line.hasPrefix("stsh") ? "$ \(program)\(line.dropFirst(4))" : "\(program)> \(line)"
    }
    let example = isHosted ? "example\n  \(given(line))\n  error[\(code)]: \(message)\n" : ""
    if let instead { return isHosted ? "\(example)instead\n  \(given(instead))\n" : "" }
    let remedy = WrappedText.hanging(remedy ?? "", indentation: 2, width: width)
    return "\(example)remedy\n  \(remedy)\n"
  }

  /// The examples of the errors that a session alone can raise.
  static let alone: [ErrorCode: ErrorExample] = [
    .assertFailed: ErrorExample(
      "assert state.counter.value == 3", "state.counter.value == 3 does not hold",
      instead: "assert state.counter.value == 0"),
    .luaError: ErrorExample(
      "= state.counter.value + nil", "attempt to perform arithmetic on a nil value",
      instead: "= state.counter.value + 1"),
    .missingArgument: ErrorExample(
      "dispatch tasks.add", "tasks.add needs 'title' (String)", instead: "dispatch tasks.add title=milk"),
    .noSuchFile: ErrorExample(
      "source /none.stsh", "/none.stsh: No such file or directory", instead: "source /dev/null"),
    .nothingToUndo: ErrorExample("undo", "there is nothing to undo", instead: "log"),
    .outOfRange: ErrorExample("set runaway 0", "runaway is a number above 0, got '0'", instead: "set runaway 1000"),
    .programFailed: ErrorExample("run false", "false ended with status 1", instead: "run true"),
    .syntax: ErrorExample("echo \"milk", "this \" is never closed", instead: "echo \"milk\""),
    .timedOut: ErrorExample(
      "wait until state.counter.value == 1 --timeout 10ms", "state.counter.value == 1 was still false after 10ms",
      instead: "wait until state.counter.value == 0 --timeout 10s"),
    .typeMismatch: ErrorExample(
      "dispatch counter.increment by=two", "'by' must be Int, got string \"two\"",
      instead: "dispatch counter.increment by=2"),
    .unexpectedArgument: ErrorExample(
      "dispatch counter.increment by=1 to=2", "counter.increment has no argument 'to'",
      instead: "dispatch counter.increment by=1"),
    .unknownAction: ErrorExample(
      "dispatch counter.incremnt", "unknown action 'counter.incremnt'", instead: "dispatch counter.increment"),
    .unknownCommand: ErrorExample(
      "dispath counter.increment", "there is no command 'dispath'", instead: "dispatch counter.increment"),
    .unknownEffect: ErrorExample("effects cancel none", "there is no effect 'none'", instead: "effects"),
    .unknownFlag: ErrorExample("show counter --jsn", "show has no flag --jsn", instead: "show counter --json"),
    .unknownFormat: ErrorExample(
      "show counter --as yaml", "there is no format 'yaml'", instead: "show counter --as json"),
    .unknownMiddleware: ErrorExample("middleware off none", "there is no middleware 'none'", instead: "middleware"),
    .unknownModule: ErrorExample("describe taks", "there is no module 'taks'", instead: "describe tasks"),
    .unknownPath: ErrorExample(
      "show tasks.item", "'tasks' has no field or projection 'item'", instead: "show tasks.items"),
    .unknownPlugin: ErrorExample("plugin unload none", "no plugin 'none' is loaded", instead: "plugin list"),
    .unknownSetting: ErrorExample("set colour on", "there is no setting 'colour'", instead: "set"),
    .unknownSubstate: ErrorExample("substate reset cart", "no substate cart", instead: "substate"),
    .unknownThunk: ErrorExample("thunk none", "there is no thunk 'none'", instead: "thunk"),
    .unknownTopic: ErrorExample("help nothing", "there is no help on 'nothing'", instead: "help"),
    .unknownVariable: ErrorExample("show $none", "there is no variable $none", instead: "let none = 1"),
    .unknownWatch: ErrorExample("watch stop 7", "there is no watch '7'", instead: "watch"),
  ]
}
