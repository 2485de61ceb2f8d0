import StoreCore
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let ingest = CommandDefinition(
    "ingest", usage: ["ingest FILE --as ACTION [--map NAME=FIELD…] [--keep-going]"],
    summary: "dispatches one action for each line of a file of JSON objects; - is standard input",
    flags: [
      FlagDefinition("as", value: "ACTION", "the action; its arguments are filled by the fields of the same name"),
      FlagDefinition("map", value: "NAME=FIELD", "fill an argument by another field"),
      FlagDefinition("keep-going", "count bad records and report them at the end"),
    ],
    operands: [.file],
    examples: [
      CommandExample(
        "echo '{\"title\":\"Buy milk\"}' > FOLDER/list.jsonl", "ingest FOLDER/list.jsonl --as tasks.add",
        output: "ingested 1 record as tasks.add (#1)\n"),
      CommandExample(
        "echo '{\"what\":\"Buy milk\"}' > FOLDER/list.jsonl",
        "ingest FOLDER/list.jsonl --as tasks.add --map title=what",
        output: "ingested 1 record as tasks.add (#1)\n"),
    ]
  ) { invocation in
    let session = invocation.session
    let file = try invocation.required(0, "a file")
    guard let name = try invocation.text(of: "as"), let flag = invocation.word(of: "as") else {
      throw invocation.missing("--as ACTION")
    }
    guard let type = session.store.action(named: name) else {
      let names = session.store.modules.flatMap(\.actions).map(\.fullName)
      let suggestion = Suggestion.nearest(to: name, among: names)
      throw ShellError(
        code: "unknown-action", message: "unknown action '\(name)'", at: flag,
        hint: suggestion.map { "did you mean '\($0)'?" })
    }
    let names = try invocation.argumentNames(type)
    let lines = try LineReader(file: file)
    let ingestion = Ingestion(
      session: session, type: type, argumentNames: names, file: file,
      keepsGoing: invocation.has("keep-going"))
    return try invocation.print(ingestion.run(lines) + "\n")
  }
}

extension Invocation {
  /// The arguments that fields of other names fill, by field: each `--map NAME=FIELD`, which further pairs may follow.
  fileprivate func argumentNames(_ type: ActionType) throws -> [String: String] {
    var pairs = try texts(of: "map")
    for (index, word) in operands.enumerated().dropFirst() {
      guard case .named = word.kind, has("map") else {
        try refuseOperands(from: index)
        break
      }
      pairs.append(word.text)
    }
    var names: [String: String] = [:]
    for pair in pairs {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { throw missing("--map NAME=FIELD") }
      guard type.fields.contains(where: { $0.name == parts[0] }) else {
        let suggestion = Suggestion.nearest(to: parts[0], among: type.fields.map(\.name))
        throw ShellError(
          code: "unexpected-argument", message: "\(type.fullName) has no argument '\(parts[0])'",
          place: word(of: "map").map { .span($0.span) } ?? .command,
          hint: suggestion.map { "did you mean '\($0)'?" } ?? "usage: dispatch \(type.signature)")
      }
      names[parts[1]] = parts[0]
    }
    return names
  }
}

/// Dispatches one action a record.
private struct Ingestion {
  let session: Session
  let type: ActionType
  /// The argument that a field of the records fills, where the names differ.
  let argumentNames: [String: String]
  let file: String
  let keepsGoing: Bool

  /// How many bad records are shown before they are only counted.
  private static let shownFaults = 20

  /// - Returns: what was done, in words.
  func run(_ lines: LineReader) throws -> String {
    var count = 0
    var first: Int?
    var last = 0
    var bad = 0
    while let line = try lines.next() {
      guard !line.isEmpty else { continue }
      do {
        let call = try self.call(of: line)
        let source = ActionSource(
          file: file, function: "ingest", line: lines.number, kind: session.origin.kind)
        let report = session.store.dispatch(call, source: source)
        if let failure = report.failure { throw failure }
        if let fault = report.faults.first { throw fault }
        last = report.number ?? last
        first = first ?? last
        count += 1
        if count.isMultiple(of: 256), session.takeInterrupt() { throw ShellError.interrupted }
      } catch let error as ShellError where error.code == ShellError.interrupted.code {
        throw error
      } catch {
        let fault = self.error(error, at: lines.number, done: count)
        guard keepsGoing else { throw fault }
        bad += 1
        if bad <= Self.shownFaults { session.console.writeError("\(fault.message)\n") }
      }
    }
    var text = "ingested \(count) \(count == 1 ? "record" : "records") as \(type.fullName)"
    if let first { text += first == last ? " (#\(first))" : " (#\(first)-#\(last))" }
    if bad > 0 {
      session.console.writeError("\(bad) bad \(bad == 1 ? "record" : "records") of \(file) left out\n")
    }
    return text
  }

  private func call(of line: ArraySlice<UInt8>) throws -> ActionCall {
    var fields = try line.withUnsafeBufferPointer { try JSON.fields(of: $0.span) }
    if !argumentNames.isEmpty {
      for index in fields.indices { fields[index].name = argumentNames[fields[index].name] ?? fields[index].name }
    }
    return try type.call(fields)
  }

  /// What does not fit, in the words of a dispatch.
  private func message(of error: SchemaError) -> String {
    switch error.problem {
    case .missingField(let name, let fieldType) where error.path.isEmpty:
      "\(type.fullName) needs '\(name)' (\(fieldType))"
    case .unknownField(_, let name, _) where error.path.isEmpty: "\(type.fullName) has no argument '\(name)'"
    default: error.message
    }
  }

  private func error(_ error: any Error, at line: Int, done: Int) -> ShellError {
    var hint: String?
    let message: String
    switch error {
    case let error as JSONError: message = "not JSON at column \(error.offset + 1): \(error.message)"
    case let error as SchemaError:
      message = self.message(of: error)
      hint = "usage: dispatch \(type.signature)"
    default:
      let described = ShellError(describing: error)
      message = described.message
      hint = described.hint
    }
    return ShellError(
      code: "bad-record", message: "\(file):\(line): \(message)", place: .line,
      details: ["\(done) \(done == 1 ? "record" : "records") before it \(done == 1 ? "was" : "were") ingested"],
      hint: hint)
  }
}
