import StoreSchema

/// The lines of `--json`: one object for each command and each event, without the line end.
public enum JSONReport {
  /// A command that succeeded.
  ///
  /// - Parameters:
  ///   - data: its result as JSON; nil for a command without one.
  ///   - notes: the notes on the result; the member is left out where there is nothing.
  public static func success(line: Int, data: String?, notes: [String] = []) -> String {
    JSON.object([
      "ok": .flag(true), "line": .number(line), "data": .json(data ?? "null"),
      "notes": notes.isEmpty ? nil : .texts(notes),
    ])
  }

  /// A command that failed.
  ///
  /// - Parameter file: the statement's file, `-c` or `stdin`; nil is left out.
  public static func failure(_ error: ShellError, in statement: Statement, file: String?) -> String {
    var column: Int?
    switch error.place {
    case .command: column = 1
    case .span(let span): column = span.column
    case .line: break
    }
    return failure(
      error.code, error.message, line: statement.line, column: column, details: error.details, hint: error.hint,
      file: file, data: error.data)
  }

  package static func failure(_ error: ShellError, file: String?) -> String {
    failure(error.code, error.message, line: nil, column: nil, details: error.details, hint: error.hint, file: file)
  }

  /// A statement that could not be read.
  public static func failure(_ fault: SyntaxFault, file: String?) -> String {
    failure(fault.code, fault.message, line: fault.line, column: fault.column, details: [], hint: nil, file: file)
  }

  /// The result of a dispatch: its place in the journal, the action's name and what it changed.
  ///
  /// - Parameters:
  ///   - arguments: the action's arguments; the member is left out for nil, as all members that follow are.
  ///   - source: the source of the action.
  ///   - who: the name under which it was dispatched.
  ///   - interceptor: the interceptor that let the action go no further.
  ///   - original: the action as it was dispatched.
  ///   - caused: the results of the actions that it caused.
  ///   - returning: the statements that it takes back and brings back, and later actions that have no effect now.
  public static func dispatch(
    id: Int, action: String, arguments: Record? = nil, source: String? = nil, who: String? = nil, changes: [Change],
    droppedBy interceptor: String? = nil, dispatchedAs original: String? = nil, caused: [String] = [],
    returning: (takesBack: [String], bringsBack: [String], noEffect: [String]) = ([], [], [])
  ) -> String {
    func list(_ parts: [String]) -> JSON.Content? {
      parts.isEmpty ? nil : .json("[\(parts.joined(separator: ","))]")
    }
    return JSON.object([
      "id": .number(id), "action": .text(action), "args": arguments.map { .value(.given($0)) },
      "source": source.map { .text($0) }, "who": who.map { .text($0) },
      "changes": .json(ChangeFormatter.json(changes)), "droppedBy": interceptor.map { .text($0) },
      "dispatchedAs": original.map { .text($0) }, "caused": list(caused), "takesBack": list(returning.takesBack),
      "bringsBack": list(returning.bringsBack), "noEffect": list(returning.noEffect),
    ])
  }

  /// A change that a watch saw; a value that was not there is none.
  ///
  /// - Parameters:
  ///   - changes: the number of changes that it stands for; the member is left out for one.
  ///   - folded: the number of actions after which nobody looked; the member is left out for none.
  public static func watch(
    id: Int, path: String, from: Value, to: Value, action: Int, changes: Int = 1, folded: Int = 0
  ) -> String {
    JSON.object([
      "event": .text("watch"), "id": .number(id), "path": .text(path), "from": .value(from),
      "to": .value(to), "action": .number(action), "changes": changes == 1 ? nil : .number(changes),
      "folded": folded == 0 ? nil : .number(folded),
    ])
  }

  /// A change that a watch of a collection saw: the changes of its elements, or of many how many there were.
  package static func watch(
    id: Int, path: String, differences: ElementChanges, action: Int, changes: Int = 1, folded: Int = 0
  ) -> String {
    let sum = differences.sum
    return JSON.object([
      "event": .text("watch"), "id": .number(id), "path": .text(path),
      "differences": sum == nil ? .json(ChangeFormatter.json(differences.changes)) : nil,
      "added": sum.map { .number($0.added) }, "removed": sum.map { .number($0.removed) },
      "changed": sum.map { .number($0.changed) }, "action": .number(action),
      "changes": changes == 1 ? nil : .number(changes), "folded": folded == 0 ? nil : .number(folded),
    ])
  }

  /// A watched projection that fails.
  package static func watch(id: Int, path: String, failure: ShellError) -> String {
    JSON.object([
      "event": .text("watch"), "id": .number(id), "path": .text(path),
      "error": .json(JSON.object(["code": .text(failure.code.rawValue), "message": .text(failure.message)])),
    ])
  }

  /// An action that the log shows as it happens.
  public static func log(
    id: Int, when: Int? = nil, action: String, source: String, user: String? = nil, who: String? = nil,
    changes: [Change]
  ) -> String {
    JSON.object([
      "event": .text("log"), "id": .number(id), "when": when.map { .number($0) }, "action": .text(action),
      "source": .text(source), "user": user.map { .text($0) }, "who": who.map { .text($0) },
      "changes": .json(ChangeFormatter.json(changes)),
    ])
  }

  /// A line that Lua or a command of an application prints.
  package static func printed(_ text: String) -> String { JSON.object(["event": .text("print"), "text": .text(text)]) }

  /// A note: something that the store did by itself, or that a command has to say beside its result.
  package static func noted(_ text: String) -> String { JSON.object(["event": .text("note"), "text": .text(text)]) }

  /// The result of a step: its name, the place of its line, and why it failed or was left out.
  package static func step(_ result: TestResult, file: String, line: Int) -> String {
    var (word, reason, error) = ("passed", String?.none, String?.none)
    switch result.outcome {
    case .passed: break
    case .skipped(let text): (word, reason) = ("skipped", text)
    case .failed(let code, let message, _):
      word = "failed"
      error = JSON.object(["code": code.map { .text($0) }, "message": .text(message)])
    }
    return JSON.object([
      "event": .text("step"), "name": .text(result.name), "file": .text(file), "line": .number(line),
      "result": .text(word), "seconds": result.seconds.map { .value(.double(($0 * 1000).rounded() / 1000)) },
      "error": error.map { .json($0) },
      "reason": reason.map { .text($0) },
    ])
  }

  /// A phase of an action, as `trace` writes it.
  package static func traced(_ line: String) -> String { JSON.object(["event": .text("trace"), "text": .text(line)]) }

  /// A record that an `ingest` left out, or beside whose action, which was processed, something went wrong.
  package static func badRecord(file: String, line: Int, message: String, hint: String?, isProcessed: Bool) -> String {
    JSON.object([
      "event": .text(isProcessed ? "record-error" : "bad-record"), "file": .text(file), "line": .number(line),
      "message": .text(message), "hint": hint.map { .text($0) },
    ])
  }

  package static func said(plugin: String, level: String, text: String) -> String {
    JSON.object(["event": .text("said"), "plugin": .text(plugin), "level": .text(level), "text": .text(text)])
  }

  /// What a door tells a client: the `end` of a conversation, or that it wants its `token`.
  package static func message(_ event: String, _ text: String) -> String {
    JSON.object(["event": .text(event), "message": .text(text)])
  }

  /// A plugin that was reloaded because it was saved.
  package static func reload(id: Int, plugin: String, version: String, details: [String]) -> String {
    JSON.object([
      "event": .text("reload"), "id": .number(id), "plugin": .text(plugin), "version": .text(version),
      "details": .texts(details),
    ])
  }

  private static func failure(
    _ code: ErrorCode, _ message: String, line: Int?, column: Int?, details: [String], hint: String?, file: String?,
    data: String? = nil
  ) -> String {
    let error = JSON.object([
      "code": .text(code.rawValue), "message": .text(message), "column": column.map { .number($0) },
      "details": details.isEmpty ? nil : .texts(details), "hint": hint.map { .text($0) },
    ])
    return JSON.object([
      "ok": .flag(false), "file": file.map { .text($0) }, "line": line.map { .number($0) }, "error": .json(error),
      "data": data.map { .json($0) },
    ])
  }
}

extension Value {
  /// The arguments of an action as an object, without those that were left out.
  package static func given(_ arguments: Record) -> Value {
    .members(zip(arguments.layout.fields, arguments.values).compactMap { $1 == .none ? nil : (name: $0, value: $1) })
  }
}
