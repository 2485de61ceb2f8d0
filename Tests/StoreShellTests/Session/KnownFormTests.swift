import Testing

@testable import StoreShell

/// Lines that differ in values alone: what the first of them dispatches is known for those behind it.
@Suite struct KnownFormTests {
  private static func plugin(_ arguments: String) -> String {
    """
    return plugin {
      state = { field('said', list(text())) },
      actions = { { name = 'say', args = { \(arguments) } } },
      reducers = { say = function(s, a) table.insert(s.said, a.a .. ' ' .. a.b) end },
    }
    """
  }

  @Test func aReloadChangesWhatLinesOfAFormDispatch() throws {
    let shell = try Shell { $0.isQuiet = true }
    let folder = try shell.plugin("v", Self.plugin("field('a', int()), field('b', int())"))
    #expect(shell.run("plugin load \(folder)") == .init())
    _ = try shell.plugin("v", Self.plugin("field('b', int()), field('a', int())"))
    let lines = (1...5).map { "dispatch v.say \($0) \($0 * 10)\n" }.joined()
    let outcome = try shell.run(script: lines + "plugin reload v\n" + lines + "show v.said --json\n")
    let said = (1...5).map { "\"\($0) \($0 * 10)\"" } + (1...5).map { "\"\($0 * 10) \($0)\"" }
    #expect(outcome == .init(output: "[\(said.joined(separator: ","))]\n"))
  }

  @Test func fieldsThatNoWordNamesHaveTheirDefaultsInEachLine() throws {
    let shell = try Shell { $0.isQuiet = true }
    let lines = (1...20).map {
      "dispatch counter.increment by=\($0)\ntry dispatch counter.increment by=\($0)\ndispatch counter.increment\n"
        + "dispatch tasks.add title=\"t \($0)\"\ndispatch tasks.add 'u \($0)'\n"
    }
    let outcome = try shell.run(
      script: lines.joined() + "show counter.value\nshow tasks.items[2].title\nshow tasks.items[40].title\n")
    #expect(outcome == .init(output: "440\n\"u 1\"\n\"u 20\"\n"))
  }

  @Test func namesThatAreChosenMeanwhileRule() throws {
    let shell = try Shell { ($0.isQuiet, $0.keepsGoing) = (true, true) }
    let lines = (1...3).map { "dispatch counter.increment by=\($0)\n" }.joined()
    let outcome = try shell.run(script: lines + "use tasks\n" + lines + lines + "dispatch counter.increment by=x\n")
    #expect(outcome.errors.hasPrefix("\(shell.folder)/script.stsh:11:28: error[type-mismatch]"))
    #expect(shell.run("show counter.value").output == "18\n")
  }

  @Test func eachLineIsInTheLogWithItsOwnNumber() throws {
    let shell = try Shell { $0.isQuiet = true }
    let lines = (1...3).map { "dispatch counter.increment by=\($0)\n\n" }.joined()
    let output = try shell.run(script: lines + "log\n").output.split(separator: "\n").dropFirst()
    #expect(output.count == 3)
    for (index, line) in output.enumerated() {
      #expect(line.contains("script.stsh:\(index * 2 + 1) ") && line.contains("counter.increment by=\(index + 1) "))
    }
  }
}
