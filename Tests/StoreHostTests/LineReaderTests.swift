import Platform
import Testing

/// Lines of a file that comes in pieces.
@Suite struct LineReaderTests {
  @Test func aLineThatIsLookedForHasItsNumber() throws {
    let lines = (1...5_000).map { $0.isMultiple(of: 777) ? "wanted \($0)" : "other \($0)" }
    var rest = Array((lines.joined(separator: "\n") + "\n").utf8)[...]
    let reader = LineReader(path: "-", size: nil) { () throws(FileError) in
      defer { rest = rest.dropFirst(1_000) }
      return Array(rest.prefix(1_000))
    }
    let mark = Array("wanted".utf8)
    for number in stride(from: 777, through: 5_000, by: 777) {
      let line = try reader.next(holding: mark) {}
      #expect(line.map { String(decoding: $0, as: UTF8.self) } == "wanted \(number)")
      #expect(reader.number == number)
    }
    #expect(try reader.next(holding: mark) {} == nil)
  }

  @Test func aLineThatIsTooLongIsNamed() throws {
    var pieces = Array(repeating: Array("short\n".utf8), count: 11)
    let long = [UInt8](repeating: 0x78, count: 1 << 22)
    let reader = LineReader(path: "recording", size: nil) { () throws(FileError) in pieces.popLast() ?? long }
    let error = #expect(throws: FileError.self) { try reader.next(holding: Array("wanted".utf8)) {} }
    #expect("\(try #require(error))".contains("line 12 has more than 64 MiB"))
  }
}
