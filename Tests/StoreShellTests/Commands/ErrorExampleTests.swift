import StoreSchema
import Testing

@testable import StoreShell

/// The examples that help shows of errors.
@Suite struct ErrorExampleTests {
  @Test(arguments: ErrorExample.alone.keys.sorted { $0.rawValue < $1.rawValue })
  func failsAsItSays(code: ErrorCode) throws {
    let example = try #require(ErrorExample.alone[code])
    let failed = try Shell().run(input: Array("\(example.line)\n".utf8))
    #expect(failed.errors.contains("error[\(code)]: \(example.message)\n"), "\(failed)")
    let line = try #require(example.instead)
    let instead = try Shell().run(line)
    #expect(instead.status == 0, "\(instead)")
    let help = try Shell().run("help \(code)").output
    #expect(help.contains("instead\n  stsh> \(line)\n"))
  }

  @Test(arguments: ErrorCode.allCases) func eachHasAnExampleAndARemedy(code: ErrorCode) throws {
    let help = try Shell().run("help \(code)").output
    #expect(help.contains("\nexample\n  ") && help.contains("\n  error[\(code)]: "))
    #expect(help.contains("\ninstead\n  ") || help.contains("\nremedy\n  "))
    #expect(!help.contains("  \n"))
  }
}
