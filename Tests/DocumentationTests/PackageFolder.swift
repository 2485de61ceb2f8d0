import Foundation

/// The folder of the package that these tests are part of.
enum PackageFolder {
  /// Where it is.
  static let url = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  /// A text in it.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: url.appending(path: path), encoding: .utf8)
  }

  /// The paths of all files in a folder of it whose names end so.
  static func files(in path: String, endingWith end: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: url.appending(path: path).path)
      .filter { $0.hasSuffix(end) }.map { "\(path)/\($0)" }
  }
}
