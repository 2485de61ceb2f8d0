import Platform

/// The traces of a fault of the program itself: a file that says where, the results until then, and an end with status
/// 70 instead of a signal.
enum CrashReport {
  /// The status of an internal fault (`EX_SOFTWARE` of sysexits.h).
  static let status: Int32 = 70

  private typealias Backtrace = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32
  private typealias Symbols = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32, Int32) -> Void

  /// All that the handler needs, made while nothing is wrong: it may neither allocate nor take a lock.
  private struct Preparation {
    /// The folders that the file stands in, outermost first.
    var folders: [UnsafeMutablePointer<CChar>]
    var path: UnsafeMutablePointer<CChar>
    var heading: UnsafeMutablePointer<CChar>
    var frames: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    var block: UnsafeMutableRawPointer
    var terminal: UnsafeMutablePointer<termios>?
    // The module of glibc leaves out execinfo.h.
    var backtrace: Backtrace?
    var symbols: Symbols?
  }

  private static let mostFrames: Int32 = 128
  private static let blockSize = 4096
  private static let faults: [(number: Int32, name: StaticString)] = [
    (SIGSEGV, "SIGSEGV"), (SIGBUS, "SIGBUS"), (SIGILL, "SIGILL"), (SIGFPE, "SIGFPE"), (SIGTRAP, "SIGTRAP"),
    (SIGABRT, "SIGABRT"),
  ]
  // Written once, before the handler that reads it is installed.
  private nonisolated(unsafe) static var preparation: Preparation?
  // Written once by the thread that alone calls it, from a handler.
  private nonisolated(unsafe) static var rescue: (thread: pthread_t, work: () -> Void)?

  /// Has faults reported from now on.
  ///
  /// - Parameters:
  ///   - folder: the folder of the files; it is made when there is a first one.
  ///   - version: the program's.
  static func install(folder: String, version: String) {
    var folders: [String] = []
    var rest = folder[...]
    while let slash = rest.lastIndex(of: "/"), rest.count > 1 {
      folders.insert(String(rest), at: 0)
      rest = rest[..<slash]
    }
    let path = "\(folder)/\(time(nil))-\(getpid()).txt"
    guard let pathText = strdup(path), let heading = strdup("stsh \(version)\n") else { return }
    var settings = termios()
    var terminal: UnsafeMutablePointer<termios>?
    if tcgetattr(0, &settings) == 0 {
      terminal = .allocate(capacity: 1)
      terminal?.initialize(to: settings)
    }
    preparation = Preparation(
      folders: folders.compactMap { strdup($0) }, path: pathText, heading: heading,
      frames: .allocate(capacity: Int(mostFrames)),
      block: .allocate(byteCount: blockSize, alignment: 16), terminal: terminal,
      backtrace: dlsym(nil, "backtrace").map { unsafeBitCast($0, to: Backtrace.self) },
      symbols: dlsym(nil, "backtrace_symbols_fd").map { unsafeBitCast($0, to: Symbols.self) })
    // The first call loads a library, which a handler must not.
    if let preparation { _ = preparation.backtrace?(preparation.frames, 1) }
    // A stack that has run over has no room for the handler.
    var stack = stack_t()
    stack.ss_size = 1 << 18
    stack.ss_sp = .allocate(byteCount: stack.ss_size, alignment: 16)
    sigaltstack(&stack, nil)
    for (number, _) in faults {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { CrashReport.report($0) }
      // A fault while one is reported ends the program as it would without us.
      action.sa_flags = Int32(bitPattern: UInt32(SA_ONSTACK) | UInt32(SA_NODEFER) | UInt32(SA_RESETHAND))
      sigaction(number, &action, nil)
    }
  }

  /// Has results handed on before a fault of this thread ends the program.
  ///
  /// - Parameter rescue: the work, which may fail in its turn.
  static func before(_ rescue: @escaping () -> Void) { self.rescue = (pthread_self(), rescue) }

  // MARK: In the handler

  private static func report(_ number: Int32) {
    guard let preparation else { _exit(status) }
    // The code at fault may hold a lock that is needed here after all.
    signal(SIGALRM) { _ in _exit(CrashReport.status) }
    alarm(10)
    if let terminal = preparation.terminal { tcsetattr(0, TCSANOW, terminal) }
    for folder in preparation.folders { mkdir(folder, 0o700) }
    let file = open(preparation.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file >= 0 {
      put(preparation.heading, to: file)
      put(name(of: number), to: file)
      put("\n\nstack\n", to: file)
      if let count = preparation.backtrace?(preparation.frames, mostFrames) {
        preparation.symbols?(preparation.frames, count, file)
      }
      // With these an address of the stack can be found in the program, wherever it was loaded.
      put("\nmemory\n", to: file)
      copy("/proc/self/maps", to: file, preparation.block)
      close(file)
    }
    // The state of the program is not to be relied on: a fault of the rescue itself only ends it.
    for (number, _) in faults { signal(number) { _ in _exit(CrashReport.status) } }
    if let rescue, pthread_equal(rescue.thread, pthread_self()) != 0 { rescue.work() }
    put("\nerror[internal]: stsh is at fault (", to: 2)
    put(name(of: number), to: 2)
    put(file >= 0 ? "); the crash file is " : "); no crash file could be written at ", to: 2)
    put(preparation.path, to: 2)
    put("\n  hint: stsh --recover goes on from the last action of a session at the prompt\n", to: 2)
    _exit(status)
  }

  private static func name(of number: Int32) -> StaticString {
    faults.first { $0.number == number }?.name ?? "signal"
  }

  private static func put(_ text: StaticString, to file: Int32) {
    _ = write(file, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func put(_ text: UnsafeMutablePointer<CChar>, to file: Int32) { _ = write(file, text, strlen(text)) }

  private static func copy(_ source: StaticString, to file: Int32, _ block: UnsafeMutableRawPointer) {
    let input = open(UnsafeRawPointer(source.utf8Start).assumingMemoryBound(to: CChar.self), O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { return }
    while case let count = read(input, block, blockSize), count > 0 { _ = write(file, block, count) }
    close(input)
  }
}
