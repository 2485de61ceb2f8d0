import ShellLanguage
import StoreHistory
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let importState = CommandDefinition(
    "import", usage: ["import state FILE [--value JSON]"],
    summary:
      "imports a state that export wrote, or the one that a file of the Redux DevTools shows, all of it or nothing; "
      + "modules that the file leaves out stay as they are",
    flags: [
      FlagDefinition("value", value: "JSON", "the state itself; FILE is then only its name")
    ],
    operands: [.words(["state"]), .file(.read)],
    examples: [
      CommandExample(
        "echo '{\"counter\":{\"value\":7,\"step\":2}}' > FOLDER/s.json", "import state FOLDER/s.json",
        output: """
          #1 shell.import file="FOLDER/s.json" modules=["counter"]
            counter.value  0 -> 7
            counter.step  1 -> 2

          """),
      CommandExample(
        transcript: """
          stsh> dispatch tasks.add milk --quiet
          stsh> export state FOLDER/s.json
          wrote the state to FOLDER/s.json
          stsh> dispatch tasks.remove 1 --quiet
          stsh> import state FOLDER/s.json
          #3 shell.import file="FOLDER/s.json"
            tasks.items[id=1]  + { id = 1, title = "milk", done = false }

          """),
    ],
    defines: .anything,
    read: ImportRequest.read, perform: { try $0.value(in: $1).perform(in: $1) })
}

/// The file from which a line takes a state.
private struct ImportRequest {
  private let file: Given<String>
  private let word: Word
  /// The state itself; nil: the file holds it.
  private let value: Given<String>?

  static func read(_ reader: CommandReader) throws -> Given<ImportRequest> {
    try reader.required(0, "'state'").map { try ImportRequest($0, reader) }
  }

  private init(_ what: String, _ reader: CommandReader) throws {
    guard what == "state" else {
      throw ShellError(
        code: .unexpectedArgument, message: "import reads 'state', not '\(what)'", at: reader.operands[0],
        hint: what == "journal" ? "run it again: replay FILE" : "usage: \(reader.usage)")
    }
    file = try reader.required(1, "a file")
    word = reader.operands[1]
    try reader.refuseOperands(from: 2)
    value = try reader.text(of: "value")
    if value == nil { try reader.checkFile(file) }
  }

  func perform(in session: Session) throws -> CommandResult {
    let file = try file.value(in: session)
    let text = try value?.value(in: session)
    let bytes = try text.map { Array($0.utf8) } ?? session.content(of: file)
    do {
      let json = try JSON.value(of: bytes.span)
      let report = try session.store.change { live in
        try live.importState(json, from: file, source: session.source(function: "import")) {
          do {
            try session.requireFree($0, as: .substate, at: word)
          } catch let error as ShellError {
            throw HostError(misfitOf: file, error.message)
          }
        }
      }
      return try session.finish(report)
    } catch let error as JSONError {
      let before = bytes.prefix(error.offset)
      let line = before.count { $0 == 0x0A } + 1
      let column =
        String(decoding: before[(before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)...], as: UTF8.self).count + 1
      let isRecording = bytes.starts(with: Array("{\"format\":\"\(RecordingHeader.format)\"".utf8))
      throw ShellError(
        code: .badState, message: "\(file):\(line):\(column): \(error.message)",
        hint: isRecording ? "it is a recording; run it with: replay FILE" : nil)
    } catch let error as SchemaError {
      let named = JSON.numberText(at: error.path, of: bytes.span).map(error.naming) ?? error
      throw HostError(misfitOf: file, named.message)
    }
  }
}
