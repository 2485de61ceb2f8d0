import Testing

/// The way of an action in `Sources/README.md` names functions that stand in the files named.
@Suite struct WayOfAnActionTests {
  @Test func everyFunctionStandsInItsFile() throws {
    let rows = try PackageFolder.text("Sources/README.md").split(separator: "\n").compactMap {
      $0.wholeMatch(of: /\| \d+ \| (.+) \| `(.+)` \|/)?.output
    }
    #expect((30...50).contains(rows.count))
    for (_, functions, path) in rows {
      let source = try PackageFolder.text("Sources/\(path)")
      for name in functions.matches(of: /`([\w.]+)`/).map(\.output.1) {
        let parts = name.split(separator: ".")
        let function = try #require(parts.last)
        let isThere = ["func \(function)(", "func \(function)<", "let \(function): ", "  \(function)("].contains {
          source.contains($0)
        }
        #expect(isThere, "\(name) in \(path)")
        if parts.count == 2 { #expect(source.contains(parts[0]), "\(name) in \(path)") }
      }
    }
  }
}
