import Glibc
import ShellLanguage
import StoreShell
import Testing

@testable import ShellDoor

/// Prompts whose store is behind a door.
@Suite struct AttachedPromptTests {
  /// An editor whose lines and presses of Ctrl-C are given beforehand.
  private final class ScriptedEditor: LineEditing {
    var completer: ((_ line: String, _ cursor: Int) -> LineCompletion)?
    var openLines: String?
    var history: [String] = []
    let screenSize = (rows: 24, columns: 80)
    private var lines: [String]
    private var ends: [Int32] = [-1, -1]

    init(_ lines: [String], presses: Int = 0) {
      self.lines = lines
      pipe(&ends)
      for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
      for _ in 0..<presses { write(ends[1], "c", 1) }
    }

    deinit { close() }

    func nextEvent(prompt: String, until deadline: Duration?, wakeDescriptors: [Int32]) throws -> LineEvent {
      lines.isEmpty ? .endOfInput : .line(lines.removeFirst())
    }

    func printAbove(_ text: String, to target: OutputTarget) {}
    func addHistory(_ statement: String) throws { history.append(statement) }
    var interruptDescriptor: Int32 { ends[0] }

    func takeInterrupt() -> Bool {
      var byte: UInt8 = 0
      return read(ends[0], &byte, 1) == 1
    }

    func close() {
      for end in ends { Glibc.close(end) }
      ends = [-1, -1]
    }
  }

  /// What a prompt printed.
  private final class Said {
    var text = ""
    private(set) lazy var console = Console(
      width: { nil }, marks: .none, { [unowned self] text, _ in self.text += String(decoding: text, as: UTF8.self) },
      takeLine: { [unowned self] line, _ in text += line + "\n" }, handOn: { _ in })
  }

  /// A door that lets somebody in, answers the first request, and then stands still.
  private final class SilentDoor {
    let path: String
    private let folder: String
    private let descriptor: Int32

    init() throws {
      folder = try House.makeFolder()
      path = "\(folder)/door"
      let address = DoorAddress.unix(path)
      descriptor = address.makeSocket()
      try #require(address.withSystemAddress { bind(descriptor, $0, $1) } == 0)
      try #require(listen(descriptor, 1) == 0)
      var thread = pthread_t()
      let context = UnsafeMutableRawPointer(bitPattern: Int(descriptor))
      pthread_create(
        &thread, nil,
        { context in
          let peer = accept(Int32(Int(bitPattern: context)), nil, nil)
          let said = "{\"door\":1,\"prompt\":\"> \"}\n{\"id\":1,\"status\":0,\"prompt\":\"> \"}\n"
          write(peer, said, said.utf8.count)
          return nil
        }, context)
      pthread_detach(thread)
    }

    deinit {
      close(descriptor)
      House.remove(folder)
    }
  }

  /// Also where it takes nothing more: no statement waits for room without an end.
  @Test(arguments: [10, 3_000_000]) func aSilentDoorIsLeft(_ length: Int) throws {
    let door = try SilentDoor()
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: .unix(door.path)), console: said.console)
    let statement = "= #'" + String(repeating: "x", count: length) + "'"
    let editor = ScriptedEditor([statement], presses: 2)
    #expect(try AttachedPrompt(shell, on: editor).run() == 6)
    let error = "error[connection-lost]: the door at \(door.path) does not answer"
    #expect(said.text.hasPrefix("\n\n\(error)\n"), "\(said.text)")
    #expect(said.text.contains("no answer came to: = #'xxx"))
  }

  /// The prompt starts with the file of its own end: that sets what is the conversation's own, and changes nothing of the store.
  @Test func thePromptStartsWithTheFileOfItsEnd() throws {
    let (house, folder, said) = (try House(), try Folder(), Said())
    var options = AttachedShell.Options()
    options.initFile = try folder.write(
      "init.stsh",
      "alias up = dispatch counter.increment\nset output json\ndispatch counter.reset\nnonsense\nlua four = 4\n"
        + "lua dispatch('counter.reset')\nplugin load catalog\n")
    let shell = AttachedShell(try DoorClient(at: .unix(house.path)), console: said.console, options: options)
    let editor = ScriptedEditor(["up --quiet", "show counter", "echo $(four + 1)", "log --as raw"])
    #expect(try AttachedPrompt(shell, on: editor).run() == 0)
    let file = "\(folder.path)/init.stsh"
    #expect(
      said.text.hasPrefix("\(file):4:1: error[unknown-command]: there is no command 'nonsense'\n"), "\(said.text)")
    #expect(
      said.text.contains(
        "note: \(file): lines 3, 6 and 7 are left out, since another's store is only read at the start\n"
          + "{\"value\":1,\"step\":1}\n5\n#1\t"), "\(said.text)")
    options.initFile = try folder.write("init.stsh", "quit 3\n")
    let leaving = AttachedShell(try DoorClient(at: .unix(house.path)), console: said.console, options: options)
    #expect(try AttachedPrompt(leaving, on: ScriptedEditor(["up"])).run() == 3)
  }

  @Test func aCompletionIsNotWaitedForAnyLonger() throws {
    let door = try SilentDoor()
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: .unix(door.path)), console: said.console)
    let editor = ScriptedEditor([], presses: 1)
    shell.interruptDescriptor = editor.interruptDescriptor
    shell.takeInterrupt = { editor.takeInterrupt() }
    _ = try shell.run("")
    #expect(try shell.complete("show tas", 8, openLines: []) == nil)
    #expect(said.text.isEmpty)
  }

  /// A line that is longer than a request ends no prompt.
  @Test func aLineMayBeTooLong() throws {
    let house = try House()
    let said = Said()
    let shell = AttachedShell(try DoorClient(at: house.door.address), console: said.console)
    let long = "= #'" + String(repeating: "x", count: 8 << 20) + "'"
    #expect(try AttachedPrompt(shell, on: ScriptedEditor([long, "echo on"])).run() == 0)
    let start = said.text.prefix(300)
    #expect(start.hasPrefix("error[line-too-long]: a door takes 8388608 bytes at once"), "\(start)")
    #expect(said.text.hasSuffix("  hint: put big data into a file and read it with ingest\non\n"))
  }
}
