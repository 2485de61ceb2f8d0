import StoreSchema

/// The lines of `--json`: one object for each command and each event, without the line end.
public enum JSONReport {
  /// A command that succeeded.
  ///
  /// - Parameters:
  ///   - data: its result as JSON; nil for a command without one.
  ///   - notes: the notes on the result; the member is left out where there is nothing.
  public static func success(line: Int, data: String?, notes: [String] = []) -> String {
    object([
      "ok": "true", "line": "\(line)", "data": data ?? "null", "notes": notes.isEmpty ? nil : list(notes),
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

  /// An error of the whole run.
  package static func failure(_ error: ShellError, file: String?) -> String {
    failure(error.code, error.message, line: nil, column: nil, details: error.details, hint: error.hint, file: file)
  }

  /// A statement that could not be read.
  public static func failure(_ fault: SyntaxFault, file: String?) -> String {
    failure(fault.code, fault.message, line: fault.line, column: fault.column, details: [], hint: nil, file: file)
  }

  /// The result of a dispatch: its place in the journal, the action's name and what it changed.
  ///
  /// - Parameter interceptor: the interceptor that let the action go no further; the member is left out where there is
  ///   none.
  public static func dispatch(
    id: Int, action: String, changes: [Change], droppedBy interceptor: String? = nil,
    dispatchedAs original: String? = nil
  ) -> String {
    object([
      "id": "\(id)", "action": quoted(action), "changes": ChangeFormatter.json(changes),
      "droppedBy": interceptor.map(quoted), "dispatchedAs": original.map(quoted),
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
    object([
      "event": quoted("watch"), "id": "\(id)", "path": quoted(path), "from": JSON.text(of: from),
      "to": JSON.text(of: to), "action": "\(action)", "changes": changes == 1 ? nil : "\(changes)",
      "folded": folded == 0 ? nil : "\(folded)",
    ])
  }

  /// A watched projection that fails.
  package static func watch(id: Int, path: String, failure: ShellError) -> String {
    object([
      "event": quoted("watch"), "id": "\(id)", "path": quoted(path),
      "error": object(["code": quoted(failure.code.rawValue), "message": quoted(failure.message)]),
    ])
  }

  /// An action that the log shows as it happens.
  public static func log(id: Int, action: String, source: String, changes: [Change]) -> String {
    object([
      "event": quoted("log"), "id": "\(id)", "action": quoted(action), "source": quoted(source),
      "changes": ChangeFormatter.json(changes),
    ])
  }

  /// A line that Lua or a command of an application prints.
  package static func printed(_ text: String) -> String { object(["event": quoted("print"), "text": quoted(text)]) }

  /// A note: something that the store did by itself, or that a command has to say beside its result.
  package static func noted(_ text: String) -> String { object(["event": quoted("note"), "text": quoted(text)]) }

  /// A phase of an action, as `trace` writes it.
  package static func traced(_ line: String) -> String { object(["event": quoted("trace"), "text": quoted(line)]) }

  /// A record that an `ingest` left out, or beside whose action, which was processed, something went wrong.
  package static func badRecord(file: String, line: Int, message: String, hint: String?, isProcessed: Bool) -> String {
    object([
      "event": quoted(isProcessed ? "record-error" : "bad-record"), "file": quoted(file), "line": "\(line)",
      "message": quoted(message), "hint": hint.map(quoted),
    ])
  }

  /// A message of a plugin.
  package static func said(plugin: String, level: String, text: String) -> String {
    object(["event": quoted("said"), "plugin": quoted(plugin), "level": quoted(level), "text": quoted(text)])
  }

  /// A plugin that was reloaded because it was saved.
  package static func reload(id: Int, plugin: String, version: String, details: [String]) -> String {
    object([
      "event": quoted("reload"), "id": "\(id)", "plugin": quoted(plugin), "version": quoted(version),
      "details": list(details),
    ])
  }

  private static func failure(
    _ code: ErrorCode, _ message: String, line: Int?, column: Int?, details: [String], hint: String?, file: String?,
    data: String? = nil
  ) -> String {
    let error = object([
      "code": quoted(code.rawValue), "message": quoted(message), "column": column.map(\.description),
      "details": details.isEmpty ? nil : list(details), "hint": hint.map(quoted),
    ])
    return object([
      "ok": "false", "file": file.map(quoted), "line": line.map(\.description), "error": error, "data": data,
    ])
  }

  private static func quoted(_ text: String) -> String { ScalarText.quoted(text) }

  private static func list(_ texts: [String]) -> String { "[\(texts.map(quoted).joined(separator: ","))]" }

  /// An object of members that are JSON already; those that are nil are left out.
  private static func object(_ members: KeyValuePairs<String, String?>) -> String {
    let present = members.compactMap { name, json in json.map { "\"\(name)\":\($0)" } }
    return "{\(present.joined(separator: ","))}"
  }
}
