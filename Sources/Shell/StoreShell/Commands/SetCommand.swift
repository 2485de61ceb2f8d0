import ShellLanguage
import StoreSchema

extension CommandDefinition {
  static let set = CommandDefinition(
    "set", needs: .read, usage: ["set [NAME [VALUE]]"],
    summary: "changes a setting, or lists them with where each was set", flags: FlagDefinition.format,
    names: Setting.all.map { setting in
      NamedMeaning(name: setting.name, meaning: "\(setting.summary) (\(setting.valuesInWords))")
    },
    operands: [.setting, .settingValue],
    examples: [
      CommandExample("set output json", "show counter", output: "{\"value\":0,\"step\":1}\n"),
      CommandExample(
        "set traceback on", "set",
        output: """
          name                         value          origin
          emit                         whenDifferent  default
          highlight                    on             default
          hints                        on             default
          journal.limit                100000, 64MiB  default
          output                       auto           default
          plugin.ceiling.actions       1000000        default
          plugin.ceiling.instructions  20000000       default
          plugin.ceiling.log_lines     1000           default
          plugin.ceiling.memory        268435456      default
          plugin.ceiling.tasks         1000000        default
          plugin.purity                sampled        default
          plugin.watch                 off            default
          runaway                      1000           default
          sessions.keep                50             default
          traceback                    on             repl:1

          """),
    ],
    isBrief: true,
    listing: { CommandListing(ShellListing.settings.reading(in: $0)) }, read: SetRequest.read,
    perform: { try $0.value(in: $1).perform(in: $1) })
}

/// A setting that a line shows or changes.
private enum SetRequest {
  case show(Setting, ResultForm)
  case change(Setting, to: Given<Setting.Assignment>)

  static func read(_ reader: CommandReader) throws -> Given<SetRequest> {
    return try reader.required(0, "the name of a setting").map { name in
      let setting = try Setting.named(name, at: reader.operands[0])
      let words = setting.takesWords ? reader.bareWords(from: 1) : nil
      if words == nil { try reader.refuseOperands(from: 2) }
      guard let value = try words.map({ .known($0) }) ?? reader.operand(1) else {
        return .show(setting, try reader.form())
      }
      return .change(setting, to: try value.map { try setting.change(to: $0, at: reader.operands[1]) })
    }
  }

  func perform(in session: Session) throws -> CommandResult {
    switch self {
    case .show(let setting, let form):
      return try session.answer(Reading(text: setting.read(session)), as: form)
    case .change(let setting, let change):
      try session.require(setting.need, for: "set \(setting.name) VALUE")
      return try setting.perform(change.value(in: session), in: session)
    }
  }
}
