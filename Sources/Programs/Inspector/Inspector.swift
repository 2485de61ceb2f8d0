#if Inspector
import ArgumentParser
import FlyingFox
import FlyingSocks
import Foundation

@main
struct Inspector: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stsh-inspector",
    abstract: "Shows a live store in a browser.",
    discussion: """
      A program that listens with --listen NAME has a door of that name; stsh --attach lists the doors that are alive.
      The page is served to this machine alone, and its address holds a token: whoever has it may do what the door allows.
      """)

  @Argument(
    help: ArgumentHelp("The door: a name, a path or 127.0.0.1:PORT; nothing if one door is alive.", valueName: "door")
  )
  var door: String?

  @Option(help: "The port of the page; 0 lets the system choose one.")
  var port: UInt16 = 0

  @Option(help: ArgumentHelp("The file that holds the token of a door at a port.", valueName: "file"))
  var tokenFile: String?

  func run() async throws {
    let place = try DoorPlace(parsing: try door ?? onlyDoor(), token: doorToken())
    let token = String(
      (0..<16).map { _ in UInt8.random(in: .min ... .max) }.flatMap { byte in
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0\(text)" : text
      })
    let pool = HTTPServer.defaultPool()
    do {
      let listener = try PageListener(port: port, pool: pool)
      let server = PageServer(relay: Relay(place: place, token: token, pool: pool), port: listener.port)
      try await pool.prepare()
      FileHandle.standardOutput.write(Data("http://127.0.0.1:\(listener.port)/#\(token)\n".utf8))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await pool.run() }
        group.addTask { try await listener.run(server) }
        try await group.waitForAll()
      }
    } catch let error as SocketError {
      throw ValidationError("port \(port) of 127.0.0.1: \(error.localizedDescription)")
    }
  }

  private func onlyDoor() throws -> String {
    let names = DoorPlace.names
    guard let name = names.first else {
      throw ValidationError("there is no door; start one with: stsh --listen NAME")
    }
    guard names.count == 1 else {
      throw ValidationError("there are several doors, name one: \(names.joined(separator: ", "))")
    }
    return name
  }

  private func doorToken() throws -> String? {
    guard let tokenFile else { return nil }
    guard let text = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
      throw ValidationError("cannot read \(tokenFile)")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
#else
/// Built without the trait `Inspector`, which brings the server of the page.
@main
enum Inspector {
  static func main() {
    print("stsh-inspector was built without its trait; scripts/inspector builds it")
  }
}
#endif
