import Glibc
import StoreUnits
import Testing

/// Row 139.
@Suite struct FileDestinationTests {
  /// Calls a closure with the path of a folder that is then removed.
  private func inFolder(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/StoreUnits.XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    defer {
      for name in ["", ".1", ".2", ".3"] { unlink("\(folder)/log\(name)") }
      rmdir(folder)
    }
    try body(folder)
  }

  private func text(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func theFileIsMadeAndAppendedTo() throws {
    try inFolder { folder in
      let path = "\(folder)/log"
      try FileDestination(path: path).write("one\n")
      #expect(text(path) == "one\n")
      let second = try FileDestination(path: path)
      try second.write("two\nthree ä\n")
      try second.write("four\n")
      #expect(text(path) == "one\ntwo\nthree ä\nfour\n")
    }
  }

  @Test func itRotatesBetweenWritesAndTheOldestGo() throws {
    try inFolder { folder in
      let path = "\(folder)/log"
      let file = try FileDestination(path: path, rotatingAt: 8, keeping: 2)
      for line in ["aaa\n", "bbb\n", "ccc\n", "much longer than that\n", "d\n", "eeeeee\n"] { try file.write(line) }
      #expect(text(path) == "eeeeee\n")
      #expect(text("\(path).1") == "d\n")
      #expect(text("\(path).2") == "much longer than that\n")
      #expect(text("\(path).3") == nil)
    }
  }

  @Test func theSizeThatTheFileHadCountsToo() throws {
    try inFolder { folder in
      let path = "\(folder)/log"
      try FileDestination(path: path).write("12345\n")
      try FileDestination(path: path, rotatingAt: 8, keeping: 1).write("678\n")
      #expect(text(path) == "678\n")
      #expect(text("\(path).1") == "12345\n")
    }
  }

  @Test func withNothingKeptTheFileBeginsAnew() throws {
    try inFolder { folder in
      let path = "\(folder)/log"
      let file = try FileDestination(path: path, rotatingAt: 4, keeping: 0)
      for line in ["aaa\n", "bbb\n"] { try file.write(line) }
      #expect(text(path) == "bbb\n")
      #expect(text("\(path).1") == nil)
    }
  }

  @Test func whatCannotBeOpenedSaysWhatAndWhy() throws {
    let error = #expect(throws: LogFileError.self) { try FileDestination(path: "/nowhere/log") }
    #expect(error?.code == ENOENT)
    #expect(error?.description == "/nowhere/log: No such file or directory")
  }

  @Test func aFullDeviceIsToldToTheWriter() throws {
    let failures = Notes()
    let writer = LogWriter(to: try FileDestination(path: "/dev/full"), onError: { failures.note("\($0)") })
    writer.write { "x" }
    writer.flush()
    #expect(failures.all == ["/dev/full: No space left on device"])
  }
}
