#if Inspector
import FlyingSocks
import Foundation

/// A pool whose TCP sockets send each piece when it is written.
///
/// FlyingFox writes the head and the body of a response apart. By Nagle's algorithm the body waits for the acknowledgement of the head,
/// which the browser delays by 40 ms.
struct PromptPool: AsyncSocketPool {
  let base: any AsyncSocketPool

  func prepare() async throws { try await base.prepare() }

  func run() async throws { try await base.run() }

  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    // Accepted sockets inherit the option from the socket that listens. Unix sockets have no such option and no such delay.
    try? socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
    try await base.suspendSocket(socket, untilReadyFor: events)
  }
}
#endif
