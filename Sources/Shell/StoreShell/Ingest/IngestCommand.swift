import Platform
import ShellLanguage
import StoreModules
import StoreSchema

extension CommandDefinition {
  static let ingest = CommandDefinition(
    "ingest", usage: ["ingest FILE --as ACTION [--map NAME=FIELD…] [--format FORMAT] [--ignore-others] [--keep-going]"],
    summary:
      "dispatches one action for each record of a file: JSON objects, one a line, or CSV or TSV, whose first row names the fields; - is standard input",
    flags: [
      FlagDefinition("as", value: "ACTION", "the action; its arguments are filled by the fields of the same name"),
      FlagDefinition("map", value: "NAME=FIELD", "fill an argument by another field"),
      FlagDefinition("format", value: "FORMAT", "jsonl, csv or tsv, where the file's name and start do not show it"),
      FlagDefinition("ignore-others", "leave out fields that the action has no argument for"),
      FlagDefinition("keep-going", "go on after bad records, and count them at the end, which is then an error"),
    ],
    operands: [.file],
    examples: [
      CommandExample(
        "echo '{\"title\":\"Buy milk\"}' > FOLDER/list.jsonl", "ingest FOLDER/list.jsonl --as tasks.add",
        output: "ingested 1 record as tasks.add (#1)\n"),
      CommandExample(
        transcript: #"""
          stsh> echo "what\nBuy milk\n\"tea, green\"" > FOLDER/list.csv
          stsh> ingest FOLDER/list.csv --as tasks.add --map title=what
          ingested 2 records as tasks.add (#1-#2)
          stsh> show tasks.items[2].title
          "tea, green"

          """#),
    ],
    read: IngestRequest.read, perform: { try $0.perform(in: $1) })
}

/// A file of records, and the action that each of them becomes.
private struct IngestRequest {
  private let file: Given<String>
  /// The word that names the file.
  private let word: Word
  private let mapping: Given<RecordMapping>
  private let format: Given<RecordFormat>?
  private let keepsGoing: Bool

  static func read(_ reader: CommandReader) throws -> IngestRequest {
    let file = try reader.required(0, "a file")
    guard let name = try reader.text(of: "as"), let flag = reader.word(of: "as") else {
      throw reader.missing("--as ACTION")
    }
    let mapping = try name.flatMap { name in
      let type = try reader.vocabulary.ingestedType(name, at: flag)
      return try reader.mappedPairs().map { pairs in
        RecordMapping(
          type: type, argumentNames: try reader.argumentNames(type, pairs), ignoresOthers: reader.has("ignore-others"))
      }
    }
    let format = try reader.text(of: "format")?.map { name in
      if let format = RecordFormat(rawValue: name) { return format }
      throw ShellError(
        code: .unknownFormat, message: "records are jsonl, csv or tsv, not '\(name)'",
        place: reader.place(of: "format"), status: 2)
    }
    if file.known == "-", reader.vocabulary.isScriptOnStandardInput {
      throw ShellError(
        code: .noSuchFile, message: "standard input is the script itself", at: reader.operands[0], status: 2)
    }
    if file.known == "-", reader.vocabulary.isThroughDoor {
      throw ShellError(
        code: .notAllowed, message: "standard input is that of the program that has the store", at: reader.operands[0],
        hint: "name a file that it can read", status: 2)
    }
    try reader.checkFile(file)
    return IngestRequest(
      file: file, word: reader.operands[0], mapping: mapping, format: format, keepsGoing: reader.has("keep-going"))
  }

  func perform(in session: Session) throws -> CommandResult {
    try session.store.requirePresent()
    let file = try file.value(in: session)
    let mapping = try mapping.value(in: session)
    let format = try format?.value(in: session)
    let lines = try LineReader(file: file, until: session.interrupts.descriptor)
    try refuseCompressed(lines, file, program: session.options.name)
    let hints = try RecordFormat.hints(fileName: file, firstLine: lines.peek())
    let chosen = format ?? hints.first ?? .jsonl
    var records: any RecordReading
    switch chosen {
    case .jsonl: records = JSONRecords(lines: lines, mapping: mapping, program: session.options.name)
    case .csv: records = TableRecords(lines: lines, separator: UInt8(ascii: ","), mapping: mapping)
    case .tsv: records = TableRecords(lines: lines, separator: 0x09, mapping: mapping)
    }
    let ingestion = Ingestion(
      session: session, type: mapping.type, file: file == "-" ? "stdin" : file,
      otherFormat: hints.first { $0 != chosen }, keepsGoing: keepsGoing)
    return try ingestion.run(lines, &records)
  }

  /// Refuses what has to be unpacked first.
  private func refuseCompressed(_ lines: LineReader, _ file: String, program: String) throws {
    let forms: [(tool: String, unpacking: String, start: [UInt8])] = [
      ("gzip", "gzip -dc", [0x1F, 0x8B]), ("zstd", "zstd -dc", [0x28, 0xB5, 0x2F, 0xFD]),
      ("xz", "xz -dc", [0xFD, 0x37, 0x7A, 0x58, 0x5A]), ("bzip2", "bzip2 -dc", [0x42, 0x5A, 0x68]),
      ("zip", "unzip -p", [0x50, 0x4B, 0x03, 0x04]),
    ]
    guard let first = try lines.peek(), let form = forms.first(where: { first.starts(with: $0.start) }) else { return }
    // Standard input has no name that says what it holds.
    let inner = file.lastIndex(of: ".").flatMap { RecordFormat(fileName: String(file[..<$0])) }
    let flag = inner.map { " --format \($0.rawValue)" } ?? ""
    throw ShellError(
      code: .unreadableFile, message: "\(file) is compressed by \(form.tool)", at: word,
      hint: "\(form.unpacking) FILE | \(program) -c 'ingest - --as ACTION\(flag)'", status: 2)
  }
}

extension Vocabulary {
  /// The action that `--as` names.
  fileprivate func ingestedType(_ name: String, at flag: Word) throws -> ActionType {
    switch try action(name, at: .span(flag.span)) {
    case .type(let type): return type
    case .dropped(let projection):
      throw ShellError(
        code: .unknownAction, message: "'\(name)' is mapped to nothing by the projection \(projection)", at: flag)
    }
  }
}

extension CommandReader {
  /// The pairs of `--map NAME=FIELD`, which further pairs may follow.
  fileprivate func mappedPairs() throws -> Given<[String]> {
    var pairs = texts(of: "map")
    for (index, word) in operands.enumerated().dropFirst() {
      guard case .named = word.kind, has("map") else {
        try refuseOperands(from: index)
        break
      }
      pairs.append(.known(word.text))
    }
    return Given.all(pairs)
  }

  /// The arguments that fields of other names fill, by field.
  fileprivate func argumentNames(_ type: ActionType, _ pairs: [String]) throws -> [String: String] {
    var names: [String: String] = [:]
    for pair in pairs {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw fault(.missingArgument, "--map needs NAME=FIELD, not '\(pair)'", of: "map", status: 2)
      }
      guard type.fields.contains(where: { $0.name == parts[0] }) else {
        throw ShellError(
          code: .unexpectedArgument, message: "\(type.fullName) has no argument '\(parts[0])'",
          place: place(of: "map"),
          hint: Suggestion.question(parts[0], among: type.fields.map(\.name))
            ?? "usage: dispatch \(type.signature)")
      }
      guard !names.values.contains(parts[0]), names[parts[1]] == nil else {
        let word = names.values.contains(parts[0]) ? parts[0] : parts[1]
        throw fault(.unexpectedArgument, "--map names '\(word)' twice", of: "map")
      }
      names[parts[1]] = parts[0]
    }
    return names
  }
}
