import Platform
import ShellLanguage
import StoreSchema
import StoreShell

/// The doors of this user that have a name, and a process that listens.
public struct DoorList {
  /// The doors, by name.
  public let doors: [Entry]

  /// A door.
  public struct Entry: Sendable {
    /// The name.
    public let name: String
    /// False where its process said nothing within a second: it is stopped, or its store is not ready yet. All else is empty then.
    public let answers: Bool
    /// The program that listens.
    public let program: String
    /// Its process.
    public let process: Int
    /// The rights that it gives.
    public let rights: String
    /// The number of the last action.
    public let head: Int
  }

  /// Asks all of them.
  public init() {
    doors = Self.sockets.compactMap { name, address in
      let greeting: DoorMessage
      do throws(ShellError) {
        greeting = try DoorClient(at: address, patience: .seconds(1)).greeting
      } catch {
        guard error.code == .connectionLost else { return nil }
        return Entry(name: name, answers: false, program: "", process: 0, rights: "", head: 0)
      }
      return Entry(
        name: name, answers: true, program: SafeText.line(greeting.text("program") ?? ""),
        process: greeting.number("process") ?? 0,
        rights: greeting.list("allow").compactMap(\.text).map(SafeText.line).joined(separator: ","),
        head: greeting.number("head") ?? 0)
    }
  }

  /// The names of sockets in the folder of doors.
  ///
  /// - Parameter isHeld: true for those where somebody listens, false for those that nobody holds any more.
  public static func names(where isHeld: Bool) -> [String] {
    sockets.filter { _, address in
      let descriptor = address.makeSocket()
      defer { close(descriptor) }
      // One that has no room for more is held too, and is not waited for.
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      return address.withSystemAddress { connect(descriptor, $0, $1) == 0 || errno == EAGAIN } == isHeld
    }.map(\.name)
  }

  private static var sockets: [(name: String, address: DoorAddress)] {
    guard let folder = DoorAddress.folder else { return [] }
    return Files.names(in: folder).sorted().map { ($0, .unix("\(folder)/\($0)")) }.filter { name, _ in
      var status = stat()
      return stat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
  }

  /// The listing, as it is printed.
  public var text: String {
    guard !doors.isEmpty else { return "(no doors)\n" }
    let rows =
      [["name", "program", "process", "allows", "actions"]]
      + doors.map { door in
        let name = SafeText.line(door.name)
        return door.answers
          ? [name, door.program, "\(door.process)", door.rights, "\(door.head)"]
          : [name, "does not answer", "", "", ""]
      }
    let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let last = row.lastIndex { !$0.isEmpty } ?? 0
      let cells = row[...last].enumerated().map { column, cell in
        column == last ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      return cells.joined(separator: "  ") + "\n"
    }.joined()
  }
}
