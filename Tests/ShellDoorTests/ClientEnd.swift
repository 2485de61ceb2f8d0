import Foundation
import Glibc
import Platform
import StoreCore
import StoreShell
import TerminalSupport
import Testing

@testable import ShellDoor

/// What an attached run printed.
final class Said {
  var text = ""
  private(set) lazy var console = Console(
    width: { nil }, marks: .none, { [unowned self] text, _ in self.text += String(decoding: text, as: UTF8.self) },
    takeLine: { [unowned self] line, _ in text += line + "\n" }, handOn: { _ in })
}

/// A folder of the client.
final class Folder {
  let path: String

  init() throws {
    var template = Array("/tmp/stsh-client-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
    return "\(path)/\(name)"
  }

  func contents(_ name: String) -> String? { try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
}

/// A host that asks for files and programs as it likes, while a statement runs and when none does.
final class HostileHost: @unchecked Sendable {
  // Safe: the lock holds what its thread leaves.
  let path: String
  private let folder: Folder
  private let descriptor: Int32
  private let events: [String]
  private let (greeting, status): (String, String)
  private let heard = Lock<[String]>([])

  var answers: [String] { heard.withLock { $0 } }

  init(_ events: [String], greeting: String = #"{"door":1,"prompt":"> "}"#, status: String = "0") throws {
    self.events = events
    (self.greeting, self.status) = (greeting, status)
    folder = try Folder()
    path = "\(folder.path)/door"
    let address = DoorAddress.unix(path)
    descriptor = address.makeSocket()
    try #require(address.withSystemAddress { bind(descriptor, $0, $1) } == 0)
    try #require(listen(descriptor, 1) == 0)
    Thread.detachNewThread { [self] in serve() }
  }

  private func serve() {
    let peer = accept(descriptor, nil, nil)
    defer { close(peer) }
    var lines = ReceivedLines()
    func say(_ line: String) {
      _ = Array("\(line)\n".utf8).withUnsafeBytes { send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
    func hear() -> String? {
      var block = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        if let line = lines.next() { return line }
        let count = recv(peer, &block, block.count, 0)
        guard count > 0 else { return nil }
        lines.append(block, count: count)
      }
    }
    say(greeting)
    while let request = hear() {
      guard let id = request.firstMatch(of: /"id":(\d+)/)?.1 else { continue }
      for event in events {
        say(event)
        guard !event.contains("cancel"), let answer = hear() else { continue }
        heard.withLock { $0.append(answer) }
      }
      say(#"{"id":\#(id),"status":\#(status),"prompt":"> "}"#)
    }
  }

  deinit { close(descriptor) }
}
