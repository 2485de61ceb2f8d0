import ShellLanguage
import Testing

@testable import StoreShell

/// `plot`: a line of past values.
@Suite struct PlotTests {
  @Test func theLineGoesThroughThePast() throws {
    let shell = try Shell()
    _ = shell.run(
      "lua for i = 1, 5 do dispatch('counter.increment') end", "dispatch counter.reset --quiet",
      "dispatch counter.increment by=3 --quiet")
    let json = try Shell { $0.isJSON = true }
    _ = json.run(
      "lua for i = 1, 5 do dispatch('counter.increment') end", "dispatch counter.reset",
      "dispatch counter.increment by=3")
    let data = json.run("plot state.counter.value --over 3").output
    #expect(
      data.contains(
        "\"data\":[{\"n\":4,\"value\":4},{\"n\":5,\"value\":5},{\"n\":6,\"value\":0},{\"n\":7,\"value\":3}]"),
      "\(data)")
    // The present is as it was.
    #expect(shell.run("plot state.counter.value --over 2", "show counter.value").output.hasSuffix("\n3\n"))
  }

  @Test func whatWasNotThereYetHasNoValue() throws {
    let shell = try Shell { $0.isJSON = true }
    let folder = try shell.plugin(
      "p",
      """
      return plugin {
        state = { field("n", int()) }, actions = { { name = "go" } }, reducers = { go = function(s) s.n = s.n + 1 end },
      }
      """)
    _ = shell.run("dispatch counter.increment", "plugin load \(folder)", "dispatch p.go")
    let points = shell.run("plot state.p.n").output
    #expect(points.contains("{\"n\":1,\"value\":null},{\"n\":2,\"value\":0},{\"n\":3,\"value\":1}]"), "\(points)")
    #expect(shell.run("plot state.p.n --as spark").status == 0)
    #expect(shell.run("plot state.p.m").output.contains("p has no field 'm'"))
    #expect(shell.run("plot state.q.n").output.contains("state has no module 'q'"))
  }

  @Test func starsWhereTheLocaleHasNoBraille() throws {
    let chart = LineChart(values: [0, 1, 2, 3, nil, 3], width: 40, height: 4, isUTF8: false)
    #expect(
      chart.text(from: "#1", to: "#6") == """
        3    * *
            *
           *
        0 *
          #1  #6

        """)
  }

  @Test func theDrawingFitsItsWidth() {
    let values = (0..<1000).map { Optional(Double($0 * $0 % 977)) }
    for width in [20, 80, 200] {
      for isUTF8 in [true, false] {
        let text = LineChart(values: values, width: width, height: 8, isUTF8: isUTF8).text(from: "#1", to: "#1000")
        let lines = text.split(separator: "\n")
        #expect(lines.count == 9)
        #expect(lines.allSatisfy { $0.count <= width && $0.last != " " })
        #expect(lines.allSatisfy { isUTF8 || $0.utf8.allSatisfy { $0 < 0x80 } })
      }
    }
    #expect(
      LineChart(values: [nil, nil], width: 80, height: 8, isUTF8: true).text(from: "#1", to: "#2") == "no values\n")
    #expect(
      LineChart(values: [.infinity, .nan], width: 80, height: 8, isUTF8: true).text(from: "", to: "") == "no values\n")
    let extreme = LineChart(
      values: [-.greatestFiniteMagnitude, .greatestFiniteMagnitude], width: 80, height: 8, isUTF8: false)
    #expect(extreme.text(from: "#1", to: "#2").split(separator: "\n").count == 9)
  }

  @Test(arguments: [
    ("plot", "1:1: error[missing-argument]: plot needs an expression"),
    ("plot -- x", "1:1: error[missing-argument]: plot needs an expression"),
    ("bisect --[[ x ]]", "1:1: error[missing-argument]: bisect needs an expression"),
    ("bisect state.counter.value > 0 --over 3", "1:32: error[unknown-flag]: bisect has no flag --over"),
    ("wait until -- x", "1:6: error[missing-argument]: wait needs an expression"),
    ("plot state.counter.value --over few", "1:33: error[type-mismatch]: --over takes a number of actions, got 'few'"),
    ("plot 'text'", "1:1: error[type-mismatch]: plot draws numbers, got string \"text\""),
    ("plot state.nowhere.x", "1:1: error["),
  ])
  func mistakes(line: String, error: String) throws {
    #expect(try Shell().run(line).errors.hasPrefix("-c:\(error)"))
  }

  @Test func otherFormsListTheValues() throws {
    let shell = try Shell()
    _ = shell.run("dispatch counter.increment by=3 --quiet")
    #expect(shell.run("plot state.counter.value --as csv").output == "n,value\r\n0,0\r\n1,3\r\n")
    #expect(shell.run("plot state.counter.value --json").output == "[{\"n\":0,\"value\":0},{\"n\":1,\"value\":3}]\n")
    #expect(shell.run("plot state.counter.value --over 1 --as spark").output.count == 3)
  }

  /// Times stand as far apart as they are, and in their order: a map has its keys in that of their letters.
  @Test(arguments: [
    ["30/Nov/2026:23:59", "01/Dec/2026:00:00", "01/Dec/2026:00:02"],
    ["30/Nov/2026:23:59:00 +0100", "01/Dec/2026:00:00:00 +0100", "30/Nov/2026:23:02:00 +0000"],
    ["2026-11-30T23:59", "2026-12-01 00:00:00", "2026-12-01T02:02:00.0+02:00"], ["23:57", "23:58:00", "24:00"],
    ["2028-02-27", "2028-02-28", "2028-03-01"],
  ])
  func timesStandAsFarApartAsTheyAre(times: [String]) throws {
    let shell = try Shell()
    let rows = zip(times, [1, 2, 4]).map { "[\"\($0)\"] = \($1)" }
    #expect(shell.run("plot { \(rows.joined(separator: ", ")) } > \(shell.folder)/p.svg").status == 0)
    let picture = try #require(shell.contents("p.svg"))
    #expect(picture.contains("M70.0 350.0L306.7 246.7L780.0 40.0"), "\(picture)")
    #expect(picture.contains(">\(times[0])</text>"))
    let drawn = shell.run("plot { \(rows.joined(separator: ", ")) }").output.split(separator: "\n")
    #expect(drawn.last?.contains(times[0]) == true && drawn.last?.hasSuffix(times[2]) == true, "\(drawn)")
    #expect(drawn.allSatisfy { $0.count <= 80 } && drawn.contains { $0.count > 70 })
  }

  /// However many there are, and however they lie: the greatest and the least are drawn.
  @Test(arguments: ["{ n = n }", "{ at = n, n = n }", "{ at = n * n, n = n }"])
  func noValueIsLeftOut(row: String) throws {
    let shell = try Shell()
    let rows =
      "(function() local t = {} for i = 1, 1000 do local n = i t[i] = \(row) end t[333].n, t[666].n = 5000, -5000 return t end)()"
    let x = row.contains("at") ? " --x at" : ""
    let drawn = shell.run("plot \(rows) --y n\(x)").output.split(separator: "\n")
    #expect(drawn.first?.hasPrefix(" 5000 ") == true && drawn[7].hasPrefix("-5000 "), "\(drawn)")
    for line in [drawn[0], drawn[7]] { #expect(line.split(separator: " ").count == 2, "\(line)") }
  }

  /// Names that are no times, or not all of them, stand side by side.
  @Test(arguments: [
    ["a", "b", "d"], ["2026-11-30", "2026-12-01", "later"], ["2026-13-01", "2026-13-02", "2026-13-09"],
  ])
  func namesStandSideBySide(names: [String]) throws {
    let shell = try Shell()
    let rows = names.map { "{ at = \"\($0)\", n = 1 }" }.joined(separator: ", ")
    #expect(shell.run("plot { \(rows) } --x at --y n > \(shell.folder)/p.svg").status == 0)
    #expect(shell.contents("p.svg")?.contains("L425.0 ") == true)
  }

  /// What is drawn compares nothing outside of brackets.
  @Test func aDrawingGoesElsewhereWithoutFlagsToo() throws {
    let shell = try Shell()
    #expect(shell.run("plot { 1, 2, (3 > 2) and 3 or 0 } > \(shell.folder)/p.svg").status == 0)
    #expect(shell.contents("p.svg")?.contains("<svg") == true)
    let text = shell.run("plot { 2, 2 }").output
    #expect(
      shell.run("plot { 2, 2 } | cat > \(shell.folder)/a.txt", "plot #\"a|b\" | cat > \(shell.folder)/b.txt").status
        == 0)
    #expect(shell.run("plot { 2, 2 } >> \(shell.folder)/c.txt # twos").status == 0)
    #expect([shell.contents("a.txt"), shell.contents("c.txt")] == [text, text])
    #expect(shell.contents("b.txt")?.hasPrefix("3 ") == true)
  }

  @Test func unknownFlagsAreRefused() throws {
    let outcome = try Shell().run("plot state.counter.value --ovr 3")
    #expect(outcome.errors.hasPrefix("-c:1:26: error[unknown-flag]: plot has no flag --ovr\n"))
    #expect(outcome.errors.hasSuffix("  hint: did you mean --over?\n"))
    #expect(outcome.status == 2)
    #expect(try Shell().run("= {1, 2} --as json", "= 3 -- as it is").output == "[1,2]\n3\n")
  }
}
