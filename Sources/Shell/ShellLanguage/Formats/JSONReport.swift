import StoreSchema

/// The lines of `--json`: one object for each command and each event, without the line end.
public enum JSONReport {
  /// A command that succeeded.
  ///
  /// - Parameters:
  ///   - data: its result as JSON; nil for a command without one.
  ///   - notes: what is to be known of the result; the member is left out where there is nothing.
  public static func success(line: Int, data: String?, notes: [String] = []) -> String {
    let told = notes.isEmpty ? "" : ",\"notes\":[\(notes.map(ScalarText.quoted).joined(separator: ","))]"
    return "{\"ok\":true,\"line\":\(line),\"data\":\(data ?? "null")\(told)}"
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
  /// - Parameter interceptor: the one that let the action go no further; the member is left out where there is none.
  public static func dispatch(id: Int, action: String, changes: [Change], droppedBy interceptor: String? = nil)
    -> String
  {
    var out = TextBuffer()
    out.append("{\"id\":\(id),\"action\":")
    out.appendQuoted(action)
    out.append(",\"changes\":" as StaticString)
    ChangeFormatter.appendJSON(changes, to: &out)
    if let interceptor {
      out.append(",\"droppedBy\":" as StaticString)
      out.appendQuoted(interceptor)
    }
    out.append("}" as Unicode.Scalar)
    return out.text
  }

  /// A change that a watch saw; a value that was not there is none.
  public static func watch(id: Int, path: String, from: Value, to: Value, action: Int) -> String {
    """
    {"event":"watch","id":\(id),"path":\(ScalarText.quoted(path)),"from":\(JSON.text(of: from)),\
    "to":\(JSON.text(of: to)),"action":\(action)}
    """
  }

  /// A watched projection that fails.
  package static func watch(id: Int, path: String, failure: ShellError) -> String {
    """
    {"event":"watch","id":\(id),"path":\(ScalarText.quoted(path)),\
    "error":{"code":\(ScalarText.quoted(failure.code.rawValue)),"message":\(ScalarText.quoted(failure.message))}}
    """
  }

  /// An action that the log shows as it happens.
  ///
  public static func log(id: Int, action: String, source: String, changes: [Change]) -> String {
    """
    {"event":"log","id":\(id),"action":\(ScalarText.quoted(action)),\
    "source":\(ScalarText.quoted(source)),"changes":\(ChangeFormatter.json(changes))}
    """
  }

  /// A line that Lua or a command of an application prints.
  package static func printed(_ text: String) -> String {
    """
    {"event":"print","text":\(ScalarText.quoted(text))}
    """
  }

  /// A phase of an action, as `trace` writes it.
  package static func traced(_ line: String) -> String {
    """
    {"event":"trace","text":\(ScalarText.quoted(line))}
    """
  }

  /// A record that an `ingest` left out.
  package static func badRecord(file: String, line: Int, message: String, hint: String?, isIngested: Bool) -> String {
    let hint = hint.map { ",\"hint\":\(ScalarText.quoted($0))" } ?? ""
    return """
      {"event":"\(isIngested ? "record-error" : "bad-record")","file":\(ScalarText.quoted(file)),"line":\(line),\
      "message":\(ScalarText.quoted(message))\(hint)}
      """
  }

  /// What a plugin says.
  package static func said(plugin: String, level: String, text: String) -> String {
    """
    {"event":"said","plugin":\(ScalarText.quoted(plugin)),"level":\(ScalarText.quoted(level)),\
    "text":\(ScalarText.quoted(text))}
    """
  }

  /// A plugin that was reloaded because it was saved.
  package static func reload(id: Int, plugin: String, version: String, details: [String]) -> String {
    """
    {"event":"reload","id":\(id),"plugin":\(ScalarText.quoted(plugin)),"version":\(ScalarText.quoted(version)),\
    "details":\(JSON.text(of: .list(PersistentList(details.map { .string($0) }))))}
    """
  }

  private static func failure(
    _ code: ErrorCode, _ message: String, line: Int?, column: Int?, details: [String], hint: String?, file: String?,
    data: String? = nil
  ) -> String {
    var out = TextBuffer()
    out.append("{\"ok\":false," as StaticString)
    if let file {
      out.append("\"file\":" as StaticString)
      out.appendQuoted(file)
      out.append("," as Unicode.Scalar)
    }
    if let line { out.append("\"line\":\(line),") }
    out.append("\"error\":{\"code\":" as StaticString)
    out.appendQuoted(code.rawValue)
    out.append(",\"message\":" as StaticString)
    out.appendQuoted(message)
    if let column { out.append(",\"column\":\(column)") }
    if !details.isEmpty {
      out.append(",\"details\":" as StaticString)
      out.append(JSON.text(of: .list(PersistentList(details.map { .string($0) }))))
    }
    if let hint {
      out.append(",\"hint\":" as StaticString)
      out.appendQuoted(hint)
    }
    out.append("}" as Unicode.Scalar)
    if let data { out.append(",\"data\":\(data)") }
    out.append("}" as Unicode.Scalar)
    return out.text
  }
}
