import Platform
import ShellLanguage
import StoreCore
import Testing

@testable import StoreShell

/// Lua over many lines is read in a time that grows with its length.
@Suite struct LongLuaTests {
  /// Where it is said that lines must follow, the parser says so: of each beginning of some lines of the plugins.
  @Test func whatIsOpenIsUnfinished() throws {
    let shell = try Shell()
    let extra = [
      "x = [[", "a ]] .. [==[ ]] ]=]", "]==] -- end [[", "if a then b() elseif c then", "d() else", "e() end",
      "--[[ do", "]] f(", ")",
    ]
    var texts = [extra]
    for name in Files.names(in: "\(Shell.package)/plugins").sorted() {
      guard let bytes = try? Files.read("\(Shell.package)/plugins/\(name)/init.lua") else { continue }
      texts.append(
        String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      )
    }
    #expect(texts.count > 5)
    for lines in texts {
      var (depth, text, count) = (LuaDepth(), "", 0)
      for line in lines {
        depth.take(Array(line.utf8)[...])
        text += line + "\n"
        guard depth.isOpen else { continue }
        count += 1
        #expect(shell.session.isUnfinishedLua(text), "\(text)")
      }
      #expect(count > lines.count / 4)
      #expect(!depth.isOpen)
    }
  }

  @Test(arguments: [
    ("let x = {", "1,", "}"), ("lua do", "x = 1", "end"), ("lua x = [[", "text", "]]"), ("lua x = 1 +", "1 +", "1"),
    ("lua x = \"\\", "do\\", "do\""),
  ])
  func longTextsAreParsedNowAndThen(first: String, middle: String, last: String) throws {
    let looks = Lock(0)
    let shell = try Shell()
    // Asked on this thread alone.
    nonisolated(unsafe) let session = shell.session
    let grammar = shell.session.commands.grammar { text in
      looks.withLock { $0 += 1 }
      return session.isUnfinishedLua(text)
    }
    let text = ([first] + Array(repeating: middle, count: 3_000) + [last, "echo done"]).joined(separator: "\n")
    var reader = StatementReader(Array(text.utf8), grammar: grammar)
    #expect(try reader.next()?.text.hasSuffix(last) == true)
    #expect(try reader.next()?.text == "echo done")
    // One for each of the first lines, then where the length has doubled.
    if !first.hasSuffix("\\") { #expect(looks.withLock { $0 } < 80) }
  }
}
