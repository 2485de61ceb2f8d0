import Glibc
import TerminalSupport

/// A folder that goes, with all that is in it, when the test does.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/stsh-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ProgramFailure("no temporary folder") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.removeAll(path) }

  private static func removeAll(_ path: String) {
    for name in names(inFolder: path) { removeAll("\(path)/\(name)") }
    remove(path)
  }

  /// Writes a file, making the folders that it needs.
  func write(_ name: String, _ bytes: [UInt8]) throws {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/\(part)"
      mkdir(folder, 0o755)
    }
    guard let file = fopen("\(path)/\(name)", "w") else { throw ProgramFailure("cannot write \(name)") }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw ProgramFailure("cannot write \(name)") }
  }

  /// Writes a text file, making the folders that it needs.
  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }
}

/// The names of what is in a folder, in no order; none where it is no folder.
func names(inFolder path: String) -> [String] {
  var status = stat()
  guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, let folder = opendir(path) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// The text of a file; nil where there is none.
func contents(ofFile path: String) -> String? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  rewind(file)
  return String(decoding: bytes(of: file), as: UTF8.self)
}

/// What is left to read in a file.
func bytes(of file: UnsafeMutablePointer<FILE>) -> [UInt8] {
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
  return bytes
}
