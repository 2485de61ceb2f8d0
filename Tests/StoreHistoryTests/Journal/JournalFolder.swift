import StoreCore
import StoreHistory
import StoreSchema
import Testing

import Glibc

/// A folder of its own for the files of a test.
final class JournalFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/journal-tests-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  subscript(name: String) -> String { "\(path)/\(name)" }

  var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] {
    let file = try #require(fopen(self[name], "r"))
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    #expect(fread(&bytes, 1, bytes.count, file) == bytes.count)
    return bytes
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    let file = try #require(fopen(self[name], "w"))
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    fclose(file)
  }

  /// Copies a journal with its write-ahead log as they stand: what a process that is killed now leaves behind.
  func copy(_ name: String, to copy: String) throws {
    for suffix in ["", "-wal"] where names.contains(name + suffix) {
      try write(copy + suffix, try bytes(name + suffix))
    }
  }
}

/// What journals of tests hold.
enum Sample {
  static let header = JournalHeader(
    program: "tests", began: .seconds(1_700_000_000), schema: "value Int", schemaHash: "abc")
  static let layout = RecordLayout(name: "increment", fields: ["by", "note"])

  /// The action of that number: it counts up by its number.
  static func entry(
    _ number: Int, note: String = "", file: String = "sample.stsh", line: Int? = nil,
    action: String = "counter.increment"
  ) -> LoggedEntry {
    LoggedEntry(
      number: number, time: .milliseconds(number),
      source: ActionSource(
        file: file, function: "dispatch", line: line ?? number, kind: .batch,
        cause: number.isMultiple(of: 3) ? number - 1 : nil),
      action: action, arguments: Record(layout, [.int(number), .string(note)]), isQuiet: false,
      changes: [
        Change(
          Path([.field("counter"), .field("value")]),
          .replace(from: .int(sum(number - 1)), to: .int(sum(number))))
      ], failure: nil)
  }

  static func sum(_ number: Int) -> Int { number * (number + 1) / 2 }

  static func slices(after number: Int, other: String = "same") -> [StateSlice] {
    [
      StateSlice(module: "counter") { $0.append(contentsOf: "{\"value\":\(sum(number))}".utf8) },
      StateSlice(module: "other") { $0.append(contentsOf: "{\"text\":\"\(other)\"}".utf8) },
    ]
  }

  /// Makes a journal with that many actions, the state before them, and those after some of them.
  ///
  /// - Parameter together: false: each action has a row of its own.
  static func fill(_ journal: Journal, _ count: Int, snapshots: Set<Int> = [], together: Bool = false) {
    journal.append(stateAfter: 0, slices(after: 0))
    for number in 1...count {
      journal.append(entry(number))
      if !together { journal.settle() }
      if snapshots.contains(number) { journal.append(stateAfter: number, slices(after: number)) }
    }
  }

  /// The numbers that can be read, each held against what was written.
  static func numbers(in journal: any JournalReading, _ range: ClosedRange<Int>) throws -> [Int] {
    var numbers: [Int] = []
    try journal.reader.visit(range) { row in
      #expect(row.arguments == "{\"by\":\(row.number),\"note\":\"\"}")
      numbers.append(row.number)
    }
    return numbers
  }
}
