import Platform
import ShellLanguage
import StoreModules
import StorePlugins
import StoreSchema

extension CommandDefinition {
  static let ingest = CommandDefinition(
    "ingest", clientFileNeed: .dispatch,
    usage: [
      "ingest FILE --as ACTION [--map NAME=FIELD…] [--format FORMAT] [--ignore-others]",
      "ingest FILE --as ACTION [--compute LUA…] [--where EXPR]",
      "ingest FILE --as ACTION --keep-going | [--rejects FILE] [--max-bad N]",
      "ingest FILE --as ACTION --delimiter CHARACTER [--quote none] [--header none|NAME,NAME…]",
      "ingest FILE --as ACTION --lines | --match PATTERN|common|combined",
    ],
    summary:
      "dispatches one action for each record of a file: JSON objects, one a line, or CSV or TSV, whose first row names the fields; or each line, as it is or taken apart; an empty cell leaves out an argument that is no text; - is standard input",
    flags: [
      FlagDefinition(
        "as", value: "ACTION", need: .dispatch, "the action; its arguments are filled from the fields of the same name"),
      FlagDefinition("map", value: "NAME=FIELD", need: .dispatch, "fill an argument from another field"),
      FlagDefinition(
        "format", value: "FORMAT", need: .dispatch, "jsonl, csv or tsv, where the file's name and start do not show it"),
      FlagDefinition("lines", need: .dispatch, "each line is a record with one field, line"),
      FlagDefinition(
        "match", value: "PATTERN", need: .dispatch,
        "each line is a record: of a web server's log, common with \(WebLogRows.commonNames.joined(separator: ", ")), combined with \(WebLogRows.combinedNames.joined(separator: ", ")) besides; or a Lua pattern with named parts, (?<name>%S+)"
      ),
      FlagDefinition(
        "delimiter", value: "CHARACTER", need: .dispatch, "the character between the fields of a table, or the word tab"
      ),
      FlagDefinition(
        "quote", value: "CHARACTER", need: .dispatch, "the character around quoted fields of a table, or none"),
      FlagDefinition(
        "header", value: "NAMES", need: .dispatch,
        "the names of the fields where no first row gives them: NAME,NAME… or none for the action's arguments"),
      FlagDefinition("ignore-others", need: .dispatch, "ignore fields that the action has no argument for"),
      FlagDefinition(
        "keep-going", need: .dispatch, "go on after bad records, and count them at the end, which is then an error"),
      FlagDefinition(
        "rejects", value: "FILE", need: .dispatch, isClients: true,
        "bad records are expected: count them, and write them there, as JSON lines with their reasons"),
      FlagDefinition("max-bad", value: "N", need: .dispatch, "as many bad records are expected; one more ends it"),
      FlagDefinition(
        "compute", value: "LUA", need: .read,
        "Lua over the fields first: 'amount = amount / 100'; a number is a decimal, it[\"Net amount\"] any field, and round(x, 2) rounds"
      ),
      FlagDefinition(
        "where", value: "EXPR", need: .read,
        "leave records out for which a Lua expression over the fields does not hold"),
    ],
    operands: [.file(.read)],
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
      CommandExample(
        transcript: #"""
          stsh> echo "1: Buy milk\n2: Write report" > FOLDER/list.txt
          stsh> ingest FOLDER/list.txt --as tasks.add --match "^%d+: (?<title>.+)$"
          ingested 2 records as tasks.add (#1-#2)

          """#),
    ],
    read: IngestRequest.read, makesFile: \.makesFile, perform: { try $0.perform(in: $1) })
}

/// A file of records, and the action that each of them becomes.
private struct IngestRequest {
  private let file: Given<String>
  private let word: Word
  private let mapping: Given<RecordMapping>
  private let shape: Given<RecordShape>
  private let keepsGoing: Bool
  /// The number of bad records that are expected; nil: they are an error.
  private let mostBad: Given<Int>?
  /// The file for records that are left out, and the word that names it.
  private let rejects: (file: Given<String>, word: Word)?

  var makesFile: Bool { rejects != nil }

  static func read(_ reader: CommandReader) throws -> IngestRequest {
    let file = try reader.required(0, "a file")
    guard let name = try reader.text(of: "as"), let flag = reader.word(of: "as") else {
      throw reader.missing("--as ACTION")
    }
    try reader.requireReplacedLua(in: ["compute", "where"])
    let computed = Given.all(try reader.texts(of: "compute"))
    let condition = try reader.text(of: "where")?.map { String?($0) } ?? .known(nil)
    let columns = try computed.with(condition)
    let mapping = try name.flatMap { name in
      let type = try reader.vocabulary.ingestedType(name, at: flag)
      return try reader.mappedPairs().with(columns).map { pairs, columns in
        let (computed, condition) = columns
        let isComputed = !computed.isEmpty || condition != nil
        let computation = try isComputed ? reader.vocabulary.computation(computed, where: condition) : nil
        let argumentNames = try reader.argumentNames(type, pairs)
        for name in computation?.results ?? [] where argumentNames[name] == nil && type.layout.index(of: name) == nil {
          throw ShellError(
            code: .unexpectedArgument, message: "\(type.fullName) has no argument '\(name)', which --compute sets",
            place: reader.place(of: "compute"), hint: Suggestion.question(name, among: type.fields.map(\.name)),
            status: 2)
        }
        return RecordMapping(
          type: type, argumentNames: argumentNames, ignoresOthers: reader.has("ignore-others"), computation: computation
        )
      }
    }
    let shape = try reader.recordShape()
    var rejects: (Given<String>, Word)?
    if let file = try reader.text(of: "rejects"), let word = reader.word(of: "rejects") {
      if file.known == "-" {
        throw ShellError(
          code: .typeMismatch, message: "--rejects needs a file: standard output has the result", at: word,
          hint: "--rejects /dev/stderr shows the records")
      }
      rejects = (try reader.output(file, at: .span(word.span)), word)
    }
    if file.known == "-", reader.vocabulary.isScriptOnStandardInput {
      throw ShellError(
        code: .noSuchFile, message: "standard input is the script itself", at: reader.operands[0], status: 2)
    }
    if file.known == "-", reader.vocabulary.isThroughDoor, !reader.vocabulary.hasClientFiles {
      throw ShellError(
        code: .notAllowed, message: "standard input is that of the program that has the store", at: reader.operands[0],
        hint: "name a file", status: 2)
    }
    try reader.checkFile(file)
    let mostBad = try reader.text(of: "max-bad")?.map { text in
      if let count = Int(text), count >= 0 { return count }
      throw reader.fault(.typeMismatch, "--max-bad takes a number of records, got '\(text)'", of: "max-bad")
    }
    return IngestRequest(
      file: file, word: reader.operands[0], mapping: mapping, shape: shape,
      keepsGoing: reader.has("keep-going"), mostBad: mostBad ?? (rejects == nil ? nil : .known(.max)), rejects: rejects)
  }

  func perform(in session: Session) throws -> CommandResult {
    try session.store.requirePresent()
    let file = try file.value(in: session)
    let mapping = try mapping.value(in: session)
    let shape = try shape.value(in: session)
    let lines: LineReader
    do throws(FileError) {
      lines = try session.lines(of: file)
    } catch {
      throw ShellError(error, place: .span(word.span))
    }
    try refuseCompressed(lines, file, program: session.options.name)
    let hints = shape.isOfLines ? [] : try RecordFormat.hints(fileName: file, firstLine: lines.peek())
    let chosen = shape.format(shown: hints)
    var records = shape.records(of: lines, chosen, mapping, program: session.options.name)
    var rejected: RejectedRecords?
    if let rejects {
      let path = try rejects.file.value(in: session)
      let place = ShellError.Place.span(rejects.word.span)
      try session.refuse(path, replacing: file == "-" ? "/dev/stdin" : file, at: place)
      for script in session.running.origin.scripts { try session.refuse(path, replacing: script, at: place) }
      rejected = try RejectedRecords(path, at: rejects.word, in: session)
      lines.kept = []
    }
    let ingestion = Ingestion(
      session: session, type: mapping.type, file: file == "-" ? "stdin" : file,
      otherFormat: shape.delimiter == nil ? hints.first { $0 != chosen } : nil, keepsGoing: keepsGoing,
      mostBad: try mostBad?.value(in: session), rejected: rejected)
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
    var pairs = try texts(of: "map")
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
          hint: type.fields.contains { $0.name == parts[1] }
            ? "the argument stands first: --map \(parts[1])=\(parts[0])"
            : Suggestion.question(parts[0], among: type.fields.map(\.name)) ?? "usage: dispatch \(type.signature)")
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
