import Foundation
import Testing

/// Each sample is at most as long as the one that it was ported from, as README.md lists them.
@Suite struct SampleLengthTests {
  private static let package = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.package.appending(path: path), encoding: .utf8)
  }

  /// The number of lines upstream, by file, as the table has them.
  private func upstream() throws -> [String: Int] {
    let rows = try text("README.md").split(separator: "\n").compactMap { line -> (String, Int)? in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: [" ", "`"]) }
      return cells.count == 3 ? Int(cells[1]).map { (cells[0], $0) } : nil
    }
    return try Dictionary(rows) { _, _ in throw Repeated() }
  }

  private struct Repeated: Error {}

  /// The samples: all files but those that hold what is given.
  private func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: Self.package.appending(path: "Sources").path)
      .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("/Given.swift") }
  }

  @Test func noneIsLongerThanUpstream() throws {
    let upstream = try upstream()
    let files = try files()
    #expect(Set(upstream.keys) == Set(files))
    for file in files {
      let lines = try text("Sources/\(file)").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .count { !$0.isEmpty && !$0.hasPrefix("//") && !$0.hasPrefix("import ") }
      #expect(lines <= upstream[file] ?? 0, "\(file)")
    }
  }
}
