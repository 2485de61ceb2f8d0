import Glibc
import TerminalSupport
import Testing

/// The scripts of `--completions`, each in its shell: bash always, zsh and fish where they are installed.
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

  @Test func bashCompletesTheNamesOfDoors() throws {
    let outcome = try shell.runInShell(
      """
      export XDG_RUNTIME_DIR=\(shell.folder.path)
      stsh serve --listen shop >/dev/null 2>&1 & server=$!
      while ! test -S $XDG_RUNTIME_DIR/stsh/shop; do sleep 0.05; done
      cat > door.bash <<'END'
      . ./stsh.bash
      COMP_WORDS=(stsh --attach s) COMP_CWORD=2 COMP_LINE="stsh --attach s" COMP_POINT=15
      _stsh stsh s --attach
      printf '%s\\n' "${COMPREPLY[@]}"
      END
      bash --norc door.bash; kill $server; wait
      """)
    #expect(outcome.output.contains("shop\n"), "\(outcome.output)")
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
    let terminal = try shell.prompt(
      ["-i"], program: "/usr/bin/zsh", prompt: "zsh>", environment: ["ZDOTDIR": shell.folder.path + "/zsh"])
    func complete(_ keys: String, to line: String) throws {
      terminal.type(keys + "\t")
      try terminal.waitForCursorLine("zsh> " + line)
      terminal.type("\u{15}")
      try terminal.waitForCursorLine("zsh>")
    }
    try complete("stsh --kee", to: "stsh --keep-going")
    try complete("stsh --as sp", to: "stsh --as spark")
    try complete("stsh --json --clock v", to: "stsh --json --clock virtual")
    try complete("stsh -p fo", to: "stsh -p folder/")
    try complete("stsh folder/s", to: "stsh folder/script.stsh")
    try complete("stsh folder/script.stsh --reco", to: "stsh folder/script.stsh --recover")
  }
}
