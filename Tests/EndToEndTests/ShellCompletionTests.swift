import Glibc
import TerminalSupport
import Testing

/// The scripts of `--completions`, each in its shell: bash always, zsh and fish where they are installed, as CI sees to.
@Suite("Completions of shells")
struct ShellCompletionTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
    try shell.folder.write("folder/script.stsh", "")
    for (name, file) in [("bash", "stsh.bash"), ("zsh", "functions/_stsh"), ("fish", "stsh.fish")] {
      let outcome = try shell.run("--completions", name)
      #expect(outcome.errors == "")
      #expect(outcome.status == 0)
      try shell.folder.write(file, outcome.output)
    }
  }

  private static func isInstalled(_ name: String) -> Bool { access("/usr/bin/" + name, X_OK) == 0 }

  /// What bash offers for the last of some words.
  private func bash(_ words: String...) throws -> Set<Substring> {
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    try shell.folder.write(
      "complete.bash",
      """
      . ./stsh.bash
      COMP_WORDS=(stsh \(line))
      COMP_CWORD=\(words.count)
      _stsh stsh "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
    let outcome = try shell.runInShell("bash --norc complete.bash")
    #expect(outcome.status == 0)
    return Set(outcome.output.split(separator: "\n"))
  }

  /// Has something done while somebody listens at the door `shop`, and `shut` is a socket that nobody holds any more.
  private func besideDoors(_ body: () throws -> Void) throws {
    try shell.folder.write("run/stsh/other", "")
    let quiet = open("/dev/null", O_RDWR)
    defer { close(quiet) }
    func listen(_ name: String) throws -> RunningProgram {
      let server = try shell.start(
        ["serve", "--listen", "run/stsh/\(name)"], descriptors: [(0, quiet), (1, quiet), (2, quiet)])
      for _ in 0..<1000 where access(shell.folder.path + "/run/stsh/\(name)", F_OK) != 0 { usleep(10_000) }
      return server
    }
    func end(_ server: RunningProgram, by signal: Int32) throws {
      kill(server.process, signal)
      _ = try server.waitForEnd()
    }
    try end(listen("shut"), by: SIGKILL)
    let server = try listen("shop")
    defer { try? end(server, by: SIGTERM) }
    try body()
  }

  /// The variables of a shell that finds the program and its doors.
  private var environment: [String: String] {
    get throws {
      [
        "XDG_RUNTIME_DIR": shell.folder.path + "/run", "ZDOTDIR": shell.folder.path + "/zsh",
        "PATH": try Launch.folderOfThisProgram() + ":/usr/bin:/bin",
      ]
    }
  }

  /// Types the start of a line in a shell, and waits until Tab has made another of it.
  private func complete(_ keys: String, to line: String, on terminal: Terminal, after prompt: String) throws {
    terminal.type(keys + "\t")
    try terminal.waitForCursorLine(prompt + " " + line)
    terminal.type("\u{15}")
    try terminal.waitForCursorLine(prompt)
  }

  @Test func bashCompletesTheNamesOfDoors() throws {
    try shell.folder.write(
      "door.bash",
      """
      export XDG_RUNTIME_DIR=$PWD/run
      . ./stsh.bash
      for option in --attach --listen; do
        COMPREPLY=() COMP_WORDS=(stsh $option s) COMP_CWORD=2 COMP_LINE="stsh $option s" COMP_POINT=15
        _stsh stsh s $option
        printf '%s\\n' "$option ${COMPREPLY[*]}"
      done
      """)
    try besideDoors {
      let outcome = try shell.runInShell("bash --norc door.bash")
      #expect(outcome.output == "--attach shop\n--listen shut\n")
    }
  }

  @Test func bashCompletes() throws {
    #expect(try shell.runInShell("bash -c '. ./stsh.bash && complete -p stsh'").status == 0)
    let options = try bash("--")
    #expect(options.isSuperset(of: ["--as", "--check", "--completions", "--read-only"]))
    #expect(!options.contains("--manual"))
    #expect(try bash("--as", "j") == ["json", "jsonl"])
    #expect(try bash("--json", "--clock", "") == ["real", "virtual"])
    #expect(try bash("-p", "fo") == ["folder"])
    #expect(try bash("folder/s") == ["folder/script.stsh"])
    #expect(try bash("--timeout", "") == [])
  }

  @Test(.enabled(if: isInstalled("fish"))) func fishCompletes() throws {
    func fish(_ line: String) throws -> [String] {
      let outcome = try shell.runInShell("fish --no-config -c 'source stsh.fish; complete -C \"\(line)\"'")
      #expect(outcome.status == 0)
      return outcome.output.split(separator: "\n").map(String.init)
    }
    let options = try fish("stsh --")
    #expect(options.contains("--keep-going\tGo on after errors; the status is that of the first."))
    #expect(!options.contains { $0.hasPrefix("--manual") })
    #expect(try fish("stsh --as j").map { $0.prefix { $0 != "\t" } } == ["json", "jsonl"])
    #expect(try fish("stsh -p fo").map { $0.prefix { $0 != "\t" } } == ["folder/"])
    #expect(try fish("stsh folder/s") == ["folder/script.stsh"])
    #expect(try fish("stsh folder/script.stsh hel") == [])
  }

  /// The names come from the program, which fish asks at a terminal alone.
  @Test(.enabled(if: isInstalled("fish"))) func fishCompletesTheNamesOfDoors() throws {
    try shell.folder.write(
      "start.fish",
      """
      set fish_greeting
      set fish_autosuggestion_enabled 0
      function fish_prompt; echo -n 'fish> '; end
      source stsh.fish
      """)
    try besideDoors {
      let terminal = try shell.prompt(
        ["--no-config", "-i", "-C", "source start.fish"], program: "/usr/bin/fish", prompt: "fish>",
        environment: environment)
      try complete("stsh --attach s", to: "stsh --attach shop", on: terminal, after: "fish>")
      try complete("stsh --listen s", to: "stsh --listen shut", on: terminal, after: "fish>")
    }
  }

  @Test(.enabled(if: isInstalled("zsh"))) func zshCompletes() throws {
    try shell.folder.write(
      "zsh/.zshrc",
      """
      PROMPT='zsh> '
      unsetopt prompt_sp
      fpath=($PWD/functions $fpath)
      autoload -Uz compinit
      compinit -u -D
      """)
    try besideDoors {
      let terminal = try shell.prompt(["-i"], program: "/usr/bin/zsh", prompt: "zsh>", environment: environment)
      for (keys, line) in [
        ("stsh --kee", "stsh --keep-going"), ("stsh --as sp", "stsh --as spark"),
        ("stsh --json --clock v", "stsh --json --clock virtual"), ("stsh -p fo", "stsh -p folder/"),
        ("stsh folder/s", "stsh folder/script.stsh"),
        ("stsh folder/script.stsh --reco", "stsh folder/script.stsh --recover"),
        ("stsh --attach s", "stsh --attach shop"), ("stsh --listen s", "stsh --listen shut"),
      ] {
        try complete(keys, to: line, on: terminal, after: "zsh>")
      }
    }
  }
}
