#if Inspector
import FlyingFox
import FlyingSocks
import Foundation

/// One tab's conversation with the door. The first message of the page is the token of its address; each later one goes
/// to the door as it is. What the door says goes to the page in binary messages of at most 64 KiB, line ends and all.
///
/// A page that does not read is not read for: at most one piece waits here, the rest waits at the door, by its bounds.
struct Relay: WSHandler {
  let place: DoorPlace
  let token: String
  let pool: any AsyncSocketPool

  /// The codes that close a WebSocket, which the page tells apart.
  private enum Closing: UInt16 {
    case wrongToken = 4401
    case noDoor = 4404
    case ended = 4410
    case badFrame = 1002
    case tooLong = 1009
  }

  func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
    let outlet = Outlet()
    let task = Task {
      let closing = await converse(client, outlet)
      await outlet.end(with: .close(code: WSCloseCode(closing.rawValue)))
      await outlet.finish()
    }
    return AsyncStream {
      await outlet.next()
    } onCancel: {
      task.cancel()
    }
  }

  private func converse(_ client: AsyncThrowingStream<WSFrame, any Error>, _ outlet: Outlet) async -> Closing {
    var messages = Messages(client.makeAsyncIterator(), outlet)
    guard let first = try? await messages.next(), isToken(first) else { return .wrongToken }
    guard let door = try? await place.connect(through: pool) else { return .noDoor }
    defer { try? door.close() }
    // Each of both directions ends the other.
    return await withTaskGroup(of: Closing.self) { group in
      group.addTask {
        let closing = await readDoor(door, outlet)
        await outlet.end(with: .close(code: WSCloseCode(closing.rawValue)))
        // The page answers a close by closing, which ends the read of its messages.
        try? await Task.sleep(for: .seconds(5))
        return closing
      }
      group.addTask { [messages] in
        var messages = messages
        do {
          if let proof = place.proof { try await door.write(proof) }
          while let message = try await messages.next() { try await door.write(message + Data("\n".utf8)) }
          return .ended
        } catch let closing as FrameFault {
          return closing == .tooLong ? .tooLong : .badFrame
        } catch {
          return .ended
        }
      }
      let closing = await group.next() ?? .ended
      await outlet.end(with: .close(code: WSCloseCode(closing.rawValue)))
      group.cancelAll()
      return closing
    }
  }

  private func readDoor(_ door: AsyncSocket, _ outlet: Outlet) async -> Closing {
    while !Task.isCancelled {
      do {
        let bytes = try door.socket.read(atMost: 1 << 16)
        await outlet.put(WSFrame(fin: true, opcode: .binary, mask: nil, payload: Data(bytes)))
      } catch SocketError.blocked {
        guard (try? await pool.suspendSocket(door.socket, untilReadyFor: .read)) != nil else { return .ended }
      } catch {
        return .ended
      }
    }
    return .ended
  }

  /// Compares in a time that says nothing of where the texts differ.
  private func isToken(_ message: Data) -> Bool {
    let expected = Array(token.utf8)
    guard message.count == expected.count else { return false }
    return zip(message, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// What ends a conversation from the page's side.
enum FrameFault: Error {
  case tooLong, badFrame

  /// A line of the door has at most 8 MiB.
  static let mostBytes = 8 << 20
}

/// The messages of a page, put together from their frames. It answers pings.
private struct Messages: @unchecked Sendable {
  // Safe: handed from one task to the next, never used by two.
  private var frames: AsyncThrowingStream<WSFrame, any Error>.AsyncIterator
  private let outlet: Outlet

  init(_ frames: AsyncThrowingStream<WSFrame, any Error>.AsyncIterator, _ outlet: Outlet) {
    (self.frames, self.outlet) = (frames, outlet)
  }

  /// The next message; nil: the page has gone.
  mutating func next() async throws -> Data? {
    var message = Data()
    var isOpen = false
    while let frame = try await frames.next() {
      // RFC 6455, 5.1: each frame of a client has a mask.
      guard frame.mask != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { throw FrameFault.badFrame }
      switch frame.opcode {
      case .text, .continuation:
        guard isOpen == (frame.opcode == .continuation) else { throw FrameFault.badFrame }
        guard message.count + frame.payload.count <= FrameFault.mostBytes else { throw FrameFault.tooLong }
        message += frame.payload
        isOpen = !frame.fin
        if frame.fin { return message }
      case .ping:
        await outlet.put(WSFrame(fin: true, opcode: .pong, mask: nil, payload: frame.payload))
      case .pong: break
      case .close: return nil
      default: throw FrameFault.badFrame
      }
    }
    return nil
  }
}

/// Hands frames from several writers to one reader. A writer waits until its frame is taken, or until the end.
private actor Outlet {
  private var waiting: [(frame: WSFrame, taken: CheckedContinuation<Void, Never>)] = []
  private var reader: CheckedContinuation<WSFrame?, Never>?
  /// The frame that ends the conversation.
  private var last: WSFrame?
  private var hasEnded = false
  private var isFinished = false

  func put(_ frame: WSFrame) async {
    guard !hasEnded else { return }
    if let reader {
      self.reader = nil
      return reader.resume(returning: frame)
    }
    await withCheckedContinuation { waiting.append((frame, $0)) }
  }

  /// The next frame; nil behind the last.
  func next() async -> WSFrame? {
    if !waiting.isEmpty {
      let (frame, taken) = waiting.removeFirst()
      taken.resume()
      return frame
    }
    if let last {
      self.last = nil
      return last
    }
    guard !isFinished else { return nil }
    return await withCheckedContinuation { reader = $0 }
  }

  /// The last frame is the end.
  func finish() {
    isFinished = true
    reader?.resume(returning: nil)
    reader = nil
  }

  /// Ends the conversation with a frame. No writer waits any longer: the reader may be gone.
  func end(with frame: WSFrame) {
    guard !hasEnded else { return }
    hasEnded = true
    for (_, taken) in waiting { taken.resume() }
    waiting = []
    if let reader {
      self.reader = nil
      reader.resume(returning: frame)
    } else {
      last = frame
    }
  }
}
#endif
