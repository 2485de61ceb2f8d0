import Glibc

/// POSIX_SPAWN_SETSID, which glibc keeps behind `_GNU_SOURCE`.
private let setNewSession: Int16 = 0x80

/// posix_spawn_file_actions_addclosefrom_np, of glibc since 2.34, which it keeps there too.
private let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
  unsafeBitCast($0, to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self)
}

/// How to start a program that was built together with the tests.
public struct Launch {
  /// The program's name: it stands beside the tests' own; or its path.
  public var program: String
  /// Its arguments, without its name.
  public var arguments: [String] = []
  /// Its whole environment.
  public var environment: [String: String] = [:]
  /// The folder that it starts in; nil: the tests' own.
  public var folder: String?
  /// Which of our descriptors are which of its; below 0: it has none there.
  public var descriptors: [(theirs: Int32, ours: Int32)] = []
  /// The terminal that becomes its controlling one, standard input and outputs, in a session of its own.
  public var terminal: String?
  /// A file to read standard input from.
  public var standardInput: String?

  /// Says which program to start.
  public init(program: String) {
    self.program = program
  }

  /// Starts the program and answers with its process.
  public func start() throws(ProgramFailure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let terminal {
      // Opened by a session leader, the terminal becomes its controlling one: Ctrl-C reaches it as a signal.
      posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    }
    if let standardInput { posix_spawn_file_actions_addopen(&actions, 0, standardInput, O_RDWR, 0) }
    for descriptor in descriptors {
      if descriptor.ours < 0 {
        posix_spawn_file_actions_addclose(&actions, descriptor.theirs)
      } else {
        posix_spawn_file_actions_adddup2(&actions, descriptor.ours, descriptor.theirs)
      }
    }
    // A program that keeps another test's pipe would keep its reader waiting.
    _ = closeFrom?(&actions, (descriptors.map(\.theirs) + [2]).max()! + 1)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Tests run on threads that block signals, and a program inherits that.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags) | (terminal == nil ? 0 : setNewSession))

    let path = program.hasPrefix("/") ? program : try Self.folderOfThisProgram() + "/" + program
    // glibc keeps the file action that changes the folder behind `_GNU_SOURCE` too.
    let command = (folder.map { ["/usr/bin/env", "--chdir", $0] } ?? []) + [path] + arguments
    var argv = Self.cStrings(command)
    var envp = Self.cStrings(environment.map { "\($0)=\($1)" })
    defer { for string in argv + envp { free(string) } }
    var process: pid_t = 0
    let problem = posix_spawn(&process, command[0], &actions, &attributes, &argv, &envp)
    guard problem == 0 else { throw ProgramFailure("\(path): \(String(cString: strerror(problem)))") }
    return process
  }

  /// Where a program is that was built together with the tests.
  public static func path(of program: String) throws(ProgramFailure) -> String {
    "\(try folderOfThisProgram())/\(program)"
  }

  private static func cStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
    strings.map { strdup($0) } + [nil]
  }

  /// Where the programs stand that were built together with the tests.
  public static func folderOfThisProgram() throws(ProgramFailure) -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    try ProgramFailure.check("readlink", Int32(readlink("/proc/self/exe", &path, Int(PATH_MAX))))
    let program = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return program.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }
}
