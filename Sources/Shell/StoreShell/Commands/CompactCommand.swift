import ShellLanguage
import StoreHistory
import StoreHost
import StoreSchema

extension CommandDefinition {
  static let compact = CommandDefinition(
    "compact", usage: ["compact FILE"],
    summary:
      "shrinks a store file that no session has open; the log, the present and the way back by goto and undo stay",
    flags: FlagDefinition.format, operands: [.file(.host)],
    examples: [
      CommandExample("compact FOLDER/shop.db", output: "FOLDER/shop.db: 148 KiB -> 84 KiB\n"),
      CommandExample(
        "compact FOLDER/shop.db --json",
        output: "{\"file\":\"FOLDER/shop.db\",\"before\":151552,\"after\":86016}\n"),
    ],
    read: { reader in
      try reader.refuseOperands(from: 1)
      let file = try reader.required(0, "a store file")
      try reader.checkFile(file)
      return CompactRequest(file: file, place: .span(reader.operands[0].span), form: try reader.form())
    },
    perform: { try $0.perform(in: $1) })
}

/// A store file that a line shrinks.
private struct CompactRequest {
  let file: Given<String>
  let place: ShellError.Place
  let form: ResultForm

  func perform(in session: Session) throws -> CommandResult {
    let file = try file.value(in: session)
    guard !NodePlan.isAddress(file) else {
      throw ShellError(
        code: .notAllowed, message: "a shared store is kept by its servers; compact shrinks a file", place: place,
        hint: "a log made with ?keep=N drops old records")
    }
    if case .readOnly? = session.options.journal?.opening {
      throw ShellError(
        code: .notAllowed, message: "this run only reads (--read-only), and compact writes", place: place,
        hint: "without --store: -c 'compact \(file)'")
    }
    let sizes: Journal.Compaction
    let interruption = session.store.interruption
    do throws(JournalError) {
      sizes = try Journal.compact(file) { interruption.isRequested() }
    } catch {
      try interruption.check()
      throw ShellError(HostError(error, program: session.hintedProgram), place: place)
    }
    let value = Reading(
      "Compaction", [("file", .string(file)), ("before", .int(sizes.before)), ("after", .int(sizes.after))])
    guard try session.isInWords(form) else { return try session.answer(value, as: form) }
    return session.answer("\(file): \(Self.text(sizes.before)) -> \(Self.text(sizes.after))\n", for: value.value)
  }

  /// A size in the largest unit of which it has at least ten.
  private static func text(_ bytes: Int) -> String {
    let unit = [("GiB", 30), ("MiB", 20), ("KiB", 10)].first { bytes >> $0.1 >= 10 }
    return unit.map { "\(bytes >> $0.1) \($0.0)" } ?? "\(bytes) B"
  }
}
