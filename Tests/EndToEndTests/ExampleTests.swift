import Testing

@Suite("The example scripts")
struct ExampleTests {
  private static let folder = "scripts/examples"

  /// The scripts that end with another status than 0.
  private static let statuses: [String: Int32] = ["errors": 1]

  /// The scripts with an expected output.
  static let names = EndToEndTests.names(inFolder: "\(Shell.packageFolder)/\(folder)")
    .filter { $0.hasSuffix(".out") }.map { String($0.dropLast(4)) }.sorted()

  @Test func thereAreExamples() {
    #expect(Self.names.count >= 8)
  }

  /// The options of a script are those of its first line, `#!/usr/bin/env -S stsh OPTIONS`.
  @Test(arguments: names)
  func printsWhatStandsBesideIt(name: String) throws {
    let script = "\(Self.folder)/\(name).stsh"
    let base = "\(Shell.packageFolder)/\(Self.folder)/\(name)"
    let firstLine = try #require(contents(ofFile: "\(base).stsh")?.split(separator: "\n").first)
    try #require(firstLine.hasPrefix("#!/usr/bin/env -S stsh"))
    let options = firstLine.split(separator: " ").dropFirst(3).map(String.init)
    let outcome = try Shell().run(options + [script], in: Shell.packageFolder)
    #expect(outcome.output == contents(ofFile: "\(base).out"))
    #expect(outcome.errors == contents(ofFile: "\(base).err") ?? "")
    #expect(outcome.status == Self.statuses[name] ?? 0)
  }
}
