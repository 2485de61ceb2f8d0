import StoreSchema
import Testing

@testable import StoreShell

/// The examples that help shows of errors.
@Suite struct ErrorExampleTests {
  @Test(arguments: ErrorExample.all.keys.sorted { $0.rawValue < $1.rawValue })
  func failsAsItSays(code: ErrorCode) throws {
    let example = try #require(ErrorExample.all[code])
    let failed = try Shell().run(input: Array("\(example.line)\n".utf8))
    #expect(failed.errors.contains("error[\(code)]: \(example.message)\n"), "\(failed)")
    let instead = try Shell().run(example.instead)
    #expect(instead.status == 0, "\(instead)")
    let help = try Shell().run("help \(code)").output
    #expect(help.contains("instead\n  stsh> \(example.instead)\n"))
  }
}
