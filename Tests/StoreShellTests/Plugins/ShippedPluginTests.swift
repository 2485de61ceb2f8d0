import StorePlugins
import Testing

@testable import StoreShell

/// The plugins that ship.
@Suite struct ShippedPluginTests {
  static let names = Files.names(in: "\(Shell.package)/plugins").filter {
    Files.exists("\(Shell.package)/plugins/\($0)/plugin.json")
  }

  @Test func theyAreThere() {
    for name in ["autosort", "catalog", "guard", "journalist", "ledger", "pomodoro"] {
      #expect(Self.names.contains(name))
    }
  }

  @Test(arguments: names)
  func theirTestsPassAndTheirReducersArePure(name: String) throws {
    let shell = try Shell { $0.grants = [name] }
    let outcome = shell.run("plugin test \(name) --pure")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains(" passed, 0 failed\n"), "\(outcome.output)")
    #expect(outcome.output.contains("ok   pure: "))
    #expect(outcome.errors == "")
  }

  @Test(arguments: names)
  func theyHaveNoMistakes(name: String) throws {
    let outcome = try Shell().run("plugin check \(name)")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.split(separator: "\n").allSatisfy { $0.hasPrefix("ok    ") })
    #expect(outcome.output.contains("ok    tests: tests/\(name)_test.lua\n"))
  }

  @Test(arguments: names)
  func theGuideListsThem(name: String) throws {
    let guide = String(decoding: try Files.read("\(Shell.package)/plugins/README.md"), as: UTF8.self)
    #expect(guide.contains("| `\(name)` |"))
  }
}
