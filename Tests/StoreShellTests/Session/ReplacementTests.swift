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
          hint: write: "… " .. place; in single quotes the dollar is meant

        """)
    #expect(shell.run("echo $(\"$place\")").status == 2)
    #expect(shell.run("assert state.counter.value == \"$place\"").status == 2)
    #expect(
      try shell.run(script: "lua print(\"$1\")\n", named: "a.stsh", "prod").errors.contains(
        "hint: write: \"… \" .. arg[1]"))
    let fine = [
      "lua print('$place')", "lua print(\"$other\") -- \"$place\"", "lua command(\"echo $place\")",
      "lua print([[$place]])",
      "echo \"$place\"",
    ]
    for line in fine { #expect(shell.run(line).errors == "", "\(line)") }
    let checked = try Shell()
    checked.session.checkOnly()
    #expect(try checked.run(script: "let t = \"$1\"\n", named: "a.stsh").status == 2)
  }
}
