/// Pipes and sockets whose reader went away.
package enum BrokenPipes {
  /// Has the program told of them by `EPIPE` from now on, instead of being ended by SIGPIPE: a reader of one of many
  /// conversations is not the reader of them all.
  package static func ignore() { signal(SIGPIPE, SIG_IGN) }
}
