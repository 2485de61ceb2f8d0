import ShellLanguage
import StoreCore
import StoreSchema
import TerminalSupport
import Testing

@testable import StoreShell

/// Texts with variables, through commands, answers, scripts and back.
@Suite struct ReplacementTests {
  private static let signs = [
    "$", "$", "$", "a", "1", "_", "{", "}", "(", ")", "[", "]", "\"", "'", "\\", ";", "&&", "||", " ", "\n", "\t", "#",
    "?", "@", "*", "!", ">",
    "=", "é", "--", "~", "nil",
  ]

  private static func text(_ random: inout SeededGenerator) -> String {
    "x" + (0..<random.number(0...10)).map { _ in random.pick(signs) }.joined()
  }

  /// A text as each command takes and prints it, in scripts that are exported, checked and run again.
  @Test(arguments: 0..<12) func anyTextComesBack(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let shell = try Shell()
    for _ in 0..<8 {
      let text = Self.text(&random)
      let word = ActionText.literal(of: .string(text))
      let added = try shell.run(script: "dispatch tasks.add title=$1\n", named: "a.stsh", text)
      #expect(added.errors == "")
      #expect(added.output.contains(" tasks.add title=\(word)\n"), "\(added.output)")
      #expect(shell.run("log 1").output.contains("tasks.add title=\(word) ") || text.contains("\n"), "\(word)")
      #expect(shell.run("echo \(word)").output == "\(text)\n")
      #expect(shell.run("show \(word)").output == "\(word)\n")
      let list = ActionText.literal(of: .list([.string(text)]))
      #expect(shell.run("show \(list) --as json").output == "[\(JSON.text(of: .string(text)))]\n")
      #expect(shell.run("dispatch tasks.add \(word) --info \(word)").errors == "")
      #expect(
        shell.run("= state.tasks.items[#state.tasks.items].title --as json").output == JSON.text(of: .string(text))
          + "\n")
      #expect(
        shell.run("substate add memo --value {t = \(ActionText.literal(of: .list([.string(text)])))} --replace").errors
          == "")
      #expect(shell.run("= state.memo.t[1] --as json").output == JSON.text(of: .string(text)) + "\n")
      #expect(shell.run("step \(word) assert true").status == 0)
      #expect(try shell.type("alias say = echo \(word)", "say").output == "\(text)\n")
      let picture = ActionText.literal(of: .string("\(shell.folder)/\(text).svg"))
      #expect(shell.run("plot { 1, 2, 3 } > \(picture)").errors == "")
      #expect(shell.contents("\(text).svg")?.contains("<svg") == true, "\(text)")
      let bound = random.number(100...9999)
      _ = shell.run("let bound = \(bound)", "set runaway \"$bound\"", "set journal.limit \"${bound}, 32MiB\"")
      let settings = shell.run("set").output
      #expect(settings.contains(" \(bound) ") && settings.contains("\(bound), 32MiB"))
    }
    #expect(shell.run("export state \(shell.folder)/state.json").errors == "")
    let taken = try Shell()
    _ = taken.run("substate add memo --value {t = [\"\"]}", "import state \(shell.folder)/state.json")
    #expect(taken.run("show tasks --as json") == shell.run("show tasks --as json"))
    #expect(taken.run("show memo --as json") == shell.run("show memo --as json"))
    #expect(shell.run("export journal \(shell.folder)/again.stsh --as stsh").errors == "")
    let checked = try Shell()
    checked.session.checkOnly()
    #expect(checked.outcome { checked.session.run(file: "\(shell.folder)/again.stsh", arguments: []) }.errors == "")
    let again = try Shell()
    let outcome = again.outcome { again.session.run(file: "\(shell.folder)/again.stsh", arguments: []) }
    #expect(outcome.errors == "")
    #expect(again.run("show tasks --as json") == shell.run("show tasks --as json"))
  }

  /// A line of a command that takes a text.
  private struct Line: Sendable {
    /// The line: WORD stands for the text, PART for it within a word, FILE for a file of that name, with an ending.
    let text: String
    /// Tells whether it did what it is to do, given what was printed and the text.
    let isDone: @Sendable (Shell, Shell.Outcome, String) -> Bool

    init(_ text: String, isDone: @escaping @Sendable (Shell, Shell.Outcome, String) -> Bool) {
      (self.text, self.isDone) = (text, isDone)
    }

    /// A line that prints something and nothing else.
    init(_ text: String, prints output: @escaping @Sendable (String) -> String) {
      self.init(text, isDone: { $1 == .init(output: output($2)) })
    }

    /// A line that writes a file with that ending.
    init(_ text: String, writes ending: String) {
      self.init(text, isDone: { $1.errors == "" && $0.contents($2 + ending).map { !$0.isEmpty } ?? false })
    }

    var verb: String { String(text.prefix { $0 != " " }) }

    /// Its spellings, each with the text as it is or as the argument of the script.
    func spellings(_ text: String, in folder: String) -> [String] {
      func literal(_ text: String) -> String { ActionText.literal(of: .string(text)) }
      func spelling(_ word: String, _ part: String, file: (_ ending: String) -> String) -> String {
        let line = self.text.replacing("WORD", with: word).replacing("PART", with: part)
        return line.replacing(#/FILE(\.[a-z]+)?/#) { file(String($0.output.1 ?? "")) }
      }
      return [
        spelling(literal(text), literal(text)) { literal("\(folder)/\(text)\($0)") },
        spelling("$1", "$1") { "\(folder)/$1\($0)" },
        spelling("\"$1\"", "$(arg[1])") { "\"\(folder)/${1}\($0)\"" },
        spelling("$(arg[1])", "${1}") { "\(folder)/$(arg[1])\($0)" },
      ]
    }
  }

  /// The lines of all commands that take a text.
  private static let lines: [Line] = [
    Line(
      "dispatch tasks.add title=WORD --info WORD --quiet",
      isDone: { shell, outcome, text in
        let json = JSON.text(of: .string(text))
        let title = shell.run("= state.tasks.items[#state.tasks.items].title --as json").output
        let info = shell.run("log 1 --json").output.contains("\"info\":\(json)")
        return outcome == .init() && title == json + "\n" && info
      }),
    Line("show WORD --as json", prints: { JSON.text(of: .string($0)) + "\n" }),
    Line("show tasks.items[title=PART].done --as json", prints: { _ in "false\n" }),
    Line(
      "why tasks.items[title=PART]",
      isDone: { _, outcome, _ in outcome.errors == "" && outcome.output.contains("tasks.add ") }),
    Line(
      "watch tasks.items[title=PART].done",
      isDone: { _, outcome, _ in outcome.errors == "" && outcome.output.contains(" = false\n") }),
    Line("diff --as json > FILE.diff", writes: ".diff"),
    Line("echo WORD", prints: { "\($0)\n" }),
    Line("echo x-$1 $(arg[1])=${1}", prints: { "x-\($0) \($0)=\($0)\n" }),
    Line("step WORD assert true", prints: { DisplayText.printable("ok   \($0)") + "\n" }),
    Line("try echo WORD", prints: { "\($0)\n" }),
    Line("retry 2 every 1ms echo WORD", prints: { "\($0)\n" }),
    Line("time echo WORD", isDone: { $1.output.hasPrefix("\($2)\n") }),
    Line(
      "assert false -- $1 ${1}",
      isDone: { _, outcome, _ in outcome.status == 3 && outcome.errors.contains("error[assert-failed]: ") }),
    Line(
      "substate add memo --value WORD --replace",
      isDone: { shell, outcome, text in
        outcome.errors == "" && shell.run("= state.memo --as json").output == JSON.text(of: .string(text)) + "\n"
      }),
    Line("run printf %s WORD", prints: { $0 }),
    Line("run --stdin WORD cat", prints: { $0 }),
    Line("plot { 1, 2, 3 } > FILE.svg", writes: ".svg"),
    Line("export state FILE.state --as json", writes: ".state"),
    Line("export tasks.items FILE --as csv", writes: ""),
    Line("log --as csv > FILE.csv", writes: ".csv"),
    Line("log --who WORD --action WORD", isDone: { _, outcome, _ in outcome.errors == "" && outcome.status == 0 }),
    Line("history WORD", isDone: { _, outcome, _ in outcome.errors == "" && outcome.status == 0 }),
    Line(
      "ingest FILE.jsonl --as tasks.add --map title=PART --rejects FILE.bad",
      isDone: { shell, outcome, text in
        let title = shell.run("= state.tasks.items[#state.tasks.items].title").output
        let rejects = shell.contents("\(text).bad") ?? ""
        return outcome.status == 0 && title == "\"new\"\n" && rejects.contains("not JSON")
      }),
    Line("import state FILE.json", isDone: { _, outcome, _ in outcome.errors == "" && outcome.status == 0 }),
    Line("replay FILE.recorded --verify", isDone: { _, outcome, _ in outcome.errors == "" && outcome.status == 0 }),
    Line("source FILE.stsh PART", prints: { "in \($0)\n" }),
    Line(
      "plugin check FILE.plugin",
      isDone: { _, outcome, _ in outcome.output.hasPrefix("ok    manifest: probe ") && outcome.status == 0 }),
    Line(
      "compact FILE.db",
      isDone: { _, outcome, text in outcome.errors == "" && outcome.output.contains("/\(text).db: ") }),
    Line(
      "trace on --spans FILE.spans",
      isDone: { shell, outcome, text in
        outcome.errors == "" && shell.run("trace off").errors == "" && shell.contents("\(text).spans") != nil
      }),
  ]

  /// The commands that take numbers, names and Lua, but no text.
  private static let others: Set = [
    "atomic",
    "describe", "goto", "undo", "redo", "skip", "unskip", "bisect", "middleware", "lua", "let", "thunk", "wait",
    "effects", "!", "=", "checks", "project", "use", "bind", "alias", "pin", "who", "node", "sessions", "set", "help",
    "quit",
  ]

  /// Writes the files that lines read.
  private func writeFiles(_ text: String, _ shell: Shell) throws {
    let name = "\(shell.folder)/\(text)"
    try shell.write("\(text).jsonl", "{\(JSON.text(of: .string(text))):\"new\"}\nbad\n")
    try shell.write("\(text).stsh", "echo in $(arg[1])\n")
    try shell.write(
      "\(text).plugin/plugin.json", #"{"name":"probe","version":"1.0.0","api":1,"permissions":[]}"#)
    try shell.write("\(text).plugin/init.lua", "return plugin {}")
    _ = try shell.storeFile("\(text).db", sessions: 1, adding: 1)
    let (state, recording) = (name + ".json", name + ".recorded")
    #expect(
      try shell.run(
        script:
          "dispatch tasks.add $1 --quiet\nexport state $2 > /dev/null\nexport journal $3 --as jsonl > /dev/null\n",
        named: "b.stsh", text, state, recording
      ).errors == "")
  }

  @Test(arguments: 0..<6) func everyCommandTakesAnyText(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(100 + seed))
    for _ in 0..<2 {
      let text = Self.text(&random)
      for line in Self.lines {
        let shell = try Shell()
        try writeFiles(text, shell)
        for spelling in line.spellings(text, in: shell.folder) {
          let checked = try Shell()
          checked.session.checkOnly()
          #expect(try checked.run(script: "\(spelling)\n", named: "a.stsh", text).errors == "", "\(spelling)")
          let outcome = try shell.run(script: "\(spelling)\n", named: "a.stsh", text)
          #expect(line.isDone(shell, outcome, text), "\(spelling) of \(text): \(outcome)")
        }
      }
    }
  }

  /// A new command is either among those that take a text or among the others.
  @Test func noCommandIsLeftOut() {
    let verbs = Set(CommandTable.standard.definitions.map(\.verb))
    #expect(Set(Self.lines.map(\.verb)).union(Self.others) == verbs)
    #expect(Self.others.isDisjoint(with: Self.lines.map(\.verb)))
  }

  /// Values in a text, in each spelling and at any depth of quotes.
  @Test(arguments: 0..<12) func anyNestingOfQuotesIsReplaced(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let shell = try Shell()
    func lua(_ text: String) -> String {
      "(" + text.unicodeScalars.map { "utf8.char(\($0.value))" }.joined(separator: "..") + ")"
    }
    for _ in 0..<20 {
      let argument = Self.text(&random)
      var (script, expected) = ("", "")
      for _ in 0..<random.number(1...5) {
        let text = Self.text(&random)
        switch random.number(0...5) {
        case 0:
          script += ActionText.literal(of: .string(text)).dropFirst().dropLast()
          expected += text
        case 1:
          script += "${1}"
          expected += argument
        case 2:
          script += "$(arg[1])"
          expected += argument
        case 3:
          script += "$(\(lua(text)))"
          expected += text
        case 4:
          script += #"$(("a\"b)" .. ')"' .. [[)("]]))"#
          expected += "a\"b))\")(\""
        default:
          script += "$(#arg .. (function() return \"(\" end)())"
          expected += "1("
        }
      }
      let lines = "dispatch tasks.add \"\(script)\" --quiet\nshow tasks.items[-1].title --as json\necho \"\(script)\"\n"
      let outcome = try shell.run(script: lines, named: "a.stsh", argument)
      #expect(outcome == .init(output: "\(JSON.text(of: .string(expected)))\n\(expected)\n"), "\(script)")
      let checked = try Shell()
      checked.session.checkOnly()
      #expect(try checked.run(script: lines, named: "a.stsh", argument) == .init(), "\(script)")
    }
  }

  @Test func wordsAndNamesAreReplaced() throws {
    let shell = try Shell()
    _ = shell.run("let n = 2", "let app = 'web'", "let none = { 1 }")
    #expect(shell.run("echo app-$app x$n title=x$n").output == "app-web x2 title=x2\n")
    #expect(
      shell.run("dispatch tasks.add title=$app$n --quiet", "show tasks.items[1].title --as raw").output == "web2\n")
    #expect(shell.run("dispatch counter.increment by=1$n --quiet", "show counter.value").output == "12\n")
    #expect(shell.run("step \"is $app\" assert true").output == "ok   is web\n")
    #expect(
      shell.run("assert false -- no $app, $(n + 1), \\$n").errors.contains("error[assert-failed]: no web, 3, $n\n"))
    #expect(shell.run("echo hi > \(shell.folder)/out-${app}.txt").errors == "")
    #expect(shell.contents("out-web.txt") == "hi\n")
    #expect(shell.run("show tasks.$(\"items\")[$(n - 1)].title --as raw").output == "web2\n")
    #expect(shell.run("show tasks.items[title=$(app .. n)].id").output == "1\n")
    // JSON stays JSON.
    #expect(shell.run(#"show {"$n": "$app", "m": $n} --as json"#).output == "{\"$n\":\"$app\",\"m\":2}\n")
    #expect(shell.run("echo '$n' \"\\$n\" \\$n").output == "$n $n $n\n")
    #expect(shell.run("dispatch counter.increment by=\"$n\"").errors.contains("hint: without quotes: by=$n\n"))
    #expect(shell.run("dispatch counter.increment by=\"2\"").errors.contains("hint: without quotes: by=2\n"))
    #expect(shell.run("echo \"$none\"").errors.contains("hint: $(#none) counts its items"))
  }

  /// A statement that Lua puts together takes any text as one word.
  @Test(arguments: 0..<4) func luaQuotesAnyText(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let shell = try Shell()
    for _ in 0..<10 {
      let text = Self.text(&random)
      let script =
        "lua assert(command('dispatch tasks.add title=' .. quote(arg[1]) .. ' --quiet'))\nshow tasks.items[-1].title --as json\n"
      let outcome = try shell.run(script: script, named: "a.stsh", text)
      #expect(outcome == .init(output: JSON.text(of: .string(text)) + "\n"), "\(text)")
    }
    let failed = shell.run("lua command(\"step 'it's' run true\")")
    #expect(failed.errors.contains("  in the statement: step 'it's' run true\n"), "\(failed.errors)")
  }

  /// A value of another type than the line needs, and the spelling that would do.
  @Test(arguments: [
    ("let n = 3", "dispatch tasks.add $n", "as a text: \"$n\""),
    ("let n = 3", "dispatch tasks.add title=$n", "as a text: title=\"$n\""),
    ("let n = '3'", "dispatch counter.increment by=$n", "as a number: by=$(tonumber(n))"),
    ("let n = 3", "dispatch counter.increment by=\"x$(n)\"", "usage: "),
    ("let d = {}", "echo \"$d\"", "$(#d) counts its items"),
    ("let n = 1", "show tasks.items[\"$n\"]", "in quotes within a path nothing is replaced: [$n]"),
    ("let y = 1", "let x = $(1 + 2)", "all of the line is Lua already: write 1 + 2"),
    ("let y = 1", "let x = $(printf hi)", "the output of a program is run(\"printf\", \"hi\").text"),
    ("let y = 1", "let x = `ls | wc -l`", "the output of a program is run(\"sh\", \"-c\", [=[ls | wc -l]=]).text"),
    ("let y = 1", "= tasks.summary", "in Lua a projection is project(\"tasks.summary\")"),
    ("project t = 1", "= state.t", "t is a name of this session: write it without state."),
    ("let y = 1", "show state.tasks", "a path begins with the module: tasks"),
  ])
  func hintsAreLinesThatWork(first: String, line: String, hint: String) throws {
    let outcome = try Shell().run(first, line)
    #expect(outcome.status != 0 && outcome.errors.contains("hint: \(hint)"), "\(outcome.errors)")
  }

  /// Nil is no text. What is to stand there instead is for the line to say.
  @Test func nilWithinATextIsAnErrorThatSaysWhatToDo() throws {
    let shell = try Shell()
    _ = shell.run("let x = arg[1]")
    let outcome = shell.run("dispatch tasks.add \"Deploy $(arg[1])\"")
    #expect(outcome.errors.contains("error[type-mismatch]: $(arg[1]) is nil, which is no text\n"))
    #expect(outcome.errors.contains("  hint: $(arg[1] or \"x\") is x instead of nil\n"))
    #expect(shell.run("echo to-$x").errors.contains("  hint: $(x or \"x\") is x instead of nil\n"))
    #expect(shell.run("echo hi > \(shell.folder)/out-$x").errors.contains("$x is nil"))
    #expect(
      shell.run("dispatch tasks.add \"Deploy $(arg[1] or 'it')\" --quiet", "show tasks.items[1].title").output
        == "\"Deploy it\"\n")
    // Alone it leaves an argument out, as a variable too.
    #expect(shell.run("dispatch counter.increment by=$x --quiet", "show counter.value").output == "1\n")
    let missing = shell.run("dispatch tasks.add $x")
    #expect(missing.errors.contains("error[type-mismatch]: 'title' must be String, got nil\n"))
    #expect(missing.errors.contains("  hint: $(x or \"x\") is x instead of nil\n"))
    // A failed assertion stays one, whatever becomes of its message.
    let failed = shell.run("assert state.counter.value == 7 -- not $x")
    #expect(failed.status == 3)
    #expect(failed.errors.contains("error[assert-failed]: state.counter.value == 7 does not hold\n"))
    #expect(failed.errors.contains("  the message is missing: $x is nil, which is no text\n"))
  }

  /// Before a statement does anything its variables are looked up.
  @Test func anUnknownVariableStopsAStatementBeforeItRuns() throws {
    let shell = try Shell()
    _ = shell.run("let place = 'x'")
    let outcome = shell.run("dispatch tasks.add \"$(dispatch('counter.increment')) $plase\"")
    #expect(outcome.errors.contains("error[unknown-variable]: there is no variable $plase"))
    #expect(outcome.errors.contains("hint: did you mean $place?; \\$ is a dollar"))
    #expect(shell.run("echo x > \(shell.folder)/a-$plase").status == 1)
    #expect(shell.run("show counter.value").output == "0\n")
    #expect(shell.run("try echo $plase", "echo went on").output == "went on\n")
    #expect(try shell.run(script: "echo \"$2\"\n", named: "a.stsh", "prod").errors.contains("there is no argument $2"))
  }

  @Test func aTextOfLuaThatHoldsAVariableIsRefused() throws {
    let shell = try Shell()
    _ = shell.run("let place = 'x'")
    #expect(
      shell.run("let t = \"to $place\"").errors == """
        -c:1:13: error[syntax]: Lua does not replace $place in a text
          let t = "to $place"
                      ^~~~~~
          hint: write: "… " .. place; in single quotes and in [=[…]=] the dollar is meant

        """)
    #expect(shell.run("echo $(\"$place\")").status == 2)
    #expect(shell.run("let t = [[to $place]]").status == 2)
    #expect(try shell.run(script: "let t = [[\nDear $1,\n]]\n", named: "a.stsh", "prod").status == 2)
    #expect(shell.run("assert state.counter.value == \"$place\"").status == 2)
    #expect(
      try shell.run(script: "lua print(\"$1\")\n", named: "a.stsh", "prod").errors.contains(
        "hint: write: \"… \" .. arg[1]"))
    let fine = [
      "lua print('$place')", "lua print(\"$other\") -- \"$place\"", "lua command(\"echo $place\")",
      "lua print([=[$place]=])", "lua command([[echo $place]])",
      "echo \"$place\"",
    ]
    for line in fine { #expect(shell.run(line).errors == "", "\(line)") }
    let checked = try Shell()
    checked.session.checkOnly()
    #expect(try checked.run(script: "let t = \"$1\"\n", named: "a.stsh").status == 2)
  }
}
