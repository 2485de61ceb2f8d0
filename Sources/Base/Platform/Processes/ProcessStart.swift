/// How a program is started: in a process group of its own.
struct ProcessStart {
  /// Descriptors of ours, each with the number that it has there.
  var descriptors: [(own: Int32, there: Int32)] = []
  /// The folder that it runs in; nil: ours.
  var folder: String?
  /// True if it gets a session of its own, which has no terminal.
  var hasOwnSession = false

  /// Starts a program. It ends with this process, however that ends, unless ``Lifeline/release(_:)`` comes before.
  ///
  /// - Parameters:
  ///   - words: the program, by its path or to be found by `PATH`, and its arguments.
  ///   - path: the program, where its path is another than its name.
  /// - Returns: the number of the process.
  func run(_ words: [String], at path: String? = nil) throws(FileError) -> pid_t {
    Lifeline.begin()
    let process = try unguarded(words, at: path)
    Lifeline.hold(process)
    return process
  }

  /// Starts a program that may go on behind this process.
  func unguarded(_ words: [String], at path: String? = nil) throws(FileError) -> pid_t {
    let program = path ?? words[0]
    Self.keepStatuses()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let folder { try Self.addFolder(folder, to: &actions) }
    for (own, there) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, there) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Swift does not see the names of GNU.
    let newSession = 0x80
    let group = hasOwnSession ? newSession : Int(POSIX_SPAWN_SETPGROUP)
    posix_spawnattr_setflags(&attributes, Int16(group | Int(POSIX_SPAWN_SETSIGDEF)))
    posix_spawnattr_setpgroup(&attributes, 0)
    // Whoever started us may have the first two ignored; then it would be refused the terminal instead of being stopped for it.
    // The program itself may have the others ignored.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGTTIN, SIGTTOU, SIGXFSZ, SIGPIPE] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let problem = posix_spawnp(&process, program, &actions, &attributes, &arguments, environ)
    guard problem == 0 else { throw FileError(path: program, code: problem) }
    return process
  }

  /// Has the system keep the status of a program that ends. It keeps none for a process that ignores SIGCHLD, as the parent of
  /// this process may have had it do (sigaction(2)).
  private static func keepStatuses() {
    var action = sigaction()
    sigaction(SIGCHLD, nil, &action)
    let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    if isIgnored || action.sa_flags & SA_NOCLDWAIT != 0 { signal(SIGCHLD, SIG_DFL) }
  }

  /// Has the program start in a folder. The function is one of GNU, which Swift does not see.
  private static func addFolder(
    _ folder: String, to actions: inout posix_spawn_file_actions_t
  ) throws(FileError) {
    typealias Add = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32
    guard Files.isDirectory(folder) else { throw FileError(path: folder, code: ENOENT) }
    guard let symbol = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else {
      throw FileError(path: folder, code: ENOSYS)
    }
    _ = unsafeBitCast(symbol, to: Add.self)(&actions, folder)
  }
}
