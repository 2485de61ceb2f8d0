/// Ends the programs that this process runs if the process is killed, as by SIGKILL, of which it hears nothing.
///
/// A signal of Linux for the death of a parent (PR_SET_PDEATHSIG) means the thread that started the program, and reaches nothing that
/// the program has started. So a small process of the shell stands by from the first program on, in a session of its own. It reads
/// which process groups run, and ends those that are left once this process is gone.
enum Lifeline {
  /// Our end of the connection to the process that stands by; -1: none could be started, and programs run without it.
  private static let end = start()

  /// Has a process stand by. Before that no program is started, which would inherit the connection.
  static func begin() { _ = end }

  /// Takes note of a group that runs.
  static func hold(_ group: pid_t) { say("+", group) }

  /// Takes note of a group whose program has ended.
  static func release(_ group: pid_t) { say("-", group) }

  private static func say(_ word: String, _ group: pid_t) {
    guard end >= 0 else { return }
    var line = "\(word) \(group)\n"
    // Neither a signal nor a wait where nobody reads.
    _ = line.withUTF8 { send(end, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) }
  }

  /// Reads `+ GROUP` and `- GROUP`, a line each, from standard input to its end. It is no child of ours: it goes on behind the shell
  /// that starts it.
  private static let script = """
    cd /; exec 3<&0
    (
      groups=' '
      while read -r word group; do
        case $word in
        +) groups="$groups$group " ;;
        -) case $groups in *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;; esac ;;
        esac
      done
      for group in $groups; do kill -s TERM -- "-$group"; kill -s CONT -- "-$group"; done
      [ "$groups" = ' ' ] || sleep 1
      for group in $groups; do kill -s KILL -- "-$group"; done
    ) <&3 3<&- &
    """

  private static func start() -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return -1 }
    defer { close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { if nowhere >= 0 { close(nowhere) } }
    var start = ProcessStart()
    start.descriptors = [(ends[1], 0), (nowhere, 1), (nowhere, 2)]
    start.hasOwnSession = true
    guard nowhere >= 0, let shell = try? start.unguarded(["sh", "-c", script], at: "/bin/sh") else {
      close(ends[0])
      return -1
    }
    var status: Int32 = 0
    while waitpid(shell, &status, 0) < 0, errno == EINTR {}
    return ends[0]
  }
}
