import Foundation
import Testing

/// The list of what the libraries cover names tests that exist, and leaves out no row.
@Suite struct CoverageTests {
  private func rows() throws -> [[Substring]] {
    try PackageFolder.text("Sources/Store/StoreCore/StoreCore.docc/Coverage.md").split(separator: "\n")
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| row ") }
      .map { $0.dropFirst(2).dropLast(2).split(separator: " | ") }
  }

  /// The tests of the package, as `Suite.function`.
  private func tests() throws -> Set<String> {
    var tests: Set<String> = []
    for file in try PackageFolder.files(in: "Tests", endingWith: ".swift") {
      var suite: Substring?
      var isTest = false
      for line in try PackageFolder.text(file).split(separator: "\n", omittingEmptySubsequences: false) {
        if !line.hasPrefix(" "),
          let match = line.firstMatch(
            of: /^(?:@.*\s)?(?:fileprivate\s|private\s|final\s)*(?:struct|extension|class)\s(\w+)/)
        {
          suite = match.output.1
        }
        if line.contains("@Test") { isTest = true }
        guard isTest, let function = line.firstMatch(of: /func (?:`(.+?)`|(\w+))/) else { continue }
        if let suite { tests.insert("\(suite).\(function.output.1 ?? function.output.2 ?? "")") }
        isTest = false
      }
    }
    return tests
  }

  @Test func everyTestThatIsNamedExists() throws {
    let existing = try tests()
    let named = try rows().flatMap { row in
      try #require(row.last).matches(of: /`(.+?)`/).map { String($0.output.1) }
    }
    #expect(named.count > 200)
    #expect(Set(named).subtracting(existing).sorted() == [])
  }

  @Test func everyRuleAndRowIsThereOnce() throws {
    let numbers: [ClosedRange<Int>] = [1...83, 85...85, 88...146, 153...155, 158...168]
    let expected =
      ((1...36).map { $0 } + Array(39...47)).map { "R\($0)" } + numbers.flatMap { $0.map(String.init) }
      + (1...18).map { "D\($0)" }
    #expect(try rows().map { String($0[0]) }.sorted() == expected.sorted())
  }

  @Test func everyRowSaysWhatItIsAndWhoShowsIt() throws {
    for row in try rows() {
      #expect(row.count == 4, "\(row)")
      #expect(row[3].contains("`") || row[3].hasPrefix("—"), "\(row)")
    }
  }
}
