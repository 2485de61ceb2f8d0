import Platform
import ShellLanguage
import StoreShell

extension AttachedShell {
  /// Runs a script from a file over there.
  ///
  /// - Returns: the status to exit with.
  public func run(file: String, arguments: [String]) -> Int32 {
    files.readsStandardInput = true
    defer { files.readsStandardInput = false }
    return ended(file) { () throws(ShellError) in
      let bytes: [UInt8]
      do throws(FileError) {
        bytes = try Files.read(file, waiting: FileWait(endedBy: self.interruptDescriptor))
      } catch {
        guard self.stop?.error == nil else { return 0 }
        throw ShellError(error)
      }
      if let fault = Self.faultOfEncoding(of: bytes[...], firstLine: 1) { return self.report(fault, file: file) }
      do throws(ShellError) {
        let status = try self.run(
          String(decoding: bytes, as: UTF8.self), file: file, arguments: arguments, isScript: true
        ).status
        guard status == 0, self.options.isAllOrNothing else { return status }
        return try self.endHeldRun(of: file)
      } catch  where error.code == .lineTooLong {
        if let fault = Self.faultOfLongLine(in: bytes) {
          return self.report(fault, hint: DoorClient.adviceOnBigData, file: file)
        }
        var error = error
        error.hint = "a script may be longer on standard input: stsh --attach \(self.client.address.text) < \(file)"
        throw error
      }
    }
  }

  /// The fault of a text that is not UTF-8, which no request can hold; nil: it is.
  static func faultOfEncoding(of bytes: ArraySlice<UInt8>, firstLine: Int) -> SyntaxFault? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    return bytes.withUnsafeBufferPointer { bytes in
      ByteCursor(ByteView(bytes), at: 0, firstLine: firstLine, isLast: true).invalidText(0..<bytes.count)
    }
  }

  /// The fault of a line that is too long for a statement, wherever it is given; nil: there is none.
  private static func faultOfLongLine(in bytes: [UInt8]) -> SyntaxFault? {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard let index = lines.firstIndex(where: { $0.count > StatementReader.usualMaximumLength }) else { return nil }
    return SyntaxFault(
      code: .lineTooLong, message: "a statement may have at most \(StatementReader.usualMaximumLength) bytes",
      line: index + 1, column: 1, width: 0, text: "")
  }

  /// Runs commands as `-c` gives them.
  ///
  /// - Returns: the status to exit with.
  public func run(commands: [String]) -> Int32 {
    files.readsStandardInput = true
    defer { files.readsStandardInput = false }
    return ended("-c") { () throws(ShellError) in
      var first: Int32 = 0
      for (index, command) in commands.enumerated() {
        let done = try self.run(command, file: "-c", line: index + 1, hasRest: index < commands.count - 1)
        if first == 0 { first = done.status }
        if let quit = done.quit { return quit == 0 ? first : quit }
        if self.stop?.error != nil || (first != 0 && !self.keepsGoing && !done.isWithinChecks) {
          return first
        }
      }
      return first
    }
  }

  /// Runs statements from a descriptor as they arrive.
  ///
  /// - Returns: the status to exit with.
  public func run(descriptor: Int32, arguments: [String] = []) -> Int32 {
    ended("stdin") { () throws(ShellError) in
      var first: Int32 = 0
      var line = 1
      var waiting: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        // The program that writes the statements may wait for their output.
        self.console.flush()
        guard self.waitToRead(descriptor) else { return first }
        let count = read(descriptor, &block, block.count)
        if count < 0, errno == EINTR { continue }
        waiting += block[..<max(count, 0)]
        let isLast = count <= 0
        var end = isLast ? waiting.count : self.end(of: waiting)
        guard end > 0 || isLast else { continue }
        let fault = Self.faultOfEncoding(of: waiting[..<end], firstLine: line)
        if let fault {
          // What stands before its line is done.
          let lines = waiting[..<end].split(
            separator: 0x0A, maxSplits: fault.line - line, omittingEmptySubsequences: false)
          end = lines.last?.startIndex ?? 0
        }
        let start = line
        line += waiting[..<end].count { $0 == 0x0A }
        let done = try self.run(
          String(decoding: waiting[..<end], as: UTF8.self), file: "stdin", line: start, arguments: arguments,
          goesOn: !isLast || fault != nil)
        waiting.removeFirst(end)
        if first == 0 { first = done.status }
        if let quit = done.quit { return quit == 0 ? first : quit }
        if let fault, first == 0 || self.keepsGoing {
          let status = self.report(fault, file: "stdin")
          return first == 0 ? status : first
        }
        if isLast || (first != 0 && !self.keepsGoing && !done.isWithinChecks) { return first }
      }
    }
  }

  /// The end of what can be given to the door: of whole lines, or, where a line is longer than a request should be, of whole
  /// characters.
  private func end(of bytes: [UInt8]) -> Int {
    if let end = bytes.lastIndex(of: 0x0A) { return end + 1 }
    guard bytes.count > 1 << 20 else { return 0 }
    return bytes.lastIndex { $0 & 0xC0 != 0x80 }.flatMap { $0 > 0 ? $0 : nil } ?? bytes.count
  }

  /// Waits until a descriptor can be read.
  ///
  /// - Returns: false: the run is to end instead.
  private func waitToRead(_ descriptor: Int32) -> Bool {
    guard stop != nil else { return true }
    var sources = [descriptor, interruptDescriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&sources, 2, -1) < 0, errno == EINTR {}
    return sources[1].revents == 0
  }

  /// The status of a run. The end of its time is told of, unless a statement has done so.
  private func ended(_ file: String, _ body: () throws(ShellError) -> Int32) -> Int32 {
    do throws(ShellError) {
      let status = try body()
      console.flush()
      guard !hasQuit, let error = stop?.error else { return status }
      if error.code == .timedOut, !hasToldOfStop { report(error, file: file) }
      return error.status
    } catch {
      console.flush()
      return report(error, file: file)
    }
  }
}
