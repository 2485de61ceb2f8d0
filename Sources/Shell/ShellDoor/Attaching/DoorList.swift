import Platform
import ShellLanguage
import StoreSchema

/// The doors of this user that have a name and are alive.
public struct DoorList {
  /// The doors, by name.
  public let doors: [Entry]

  /// A door that answers.
  public struct Entry: Sendable {
    /// The name.
    public let name: String
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
    doors = Self.names.compactMap { name in
      guard let folder = DoorAddress.folder,
        let client = try? DoorClient(at: .unix("\(folder)/\(name)"), patience: .seconds(1))
      else { return nil }
      let greeting = client.greeting
      return Entry(
        name: name, program: SafeText.line(greeting.text("program") ?? ""), process: greeting.number("process") ?? 0,
        rights: greeting.list("allow").compactMap(\.text).map(SafeText.line).joined(separator: ","),
        head: greeting.number("head") ?? 0)
    }
  }

  /// The names of sockets in the folder of doors, whether anybody listens or not.
  public static var names: [String] {
    guard let folder = DoorAddress.folder else { return [] }
    return Files.names(in: folder).filter { name in
      var status = stat()
      return stat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }.sorted()
  }

  /// The listing, as it is printed.
  public var text: String {
    guard !doors.isEmpty else { return "(no doors)\n" }
    let rows =
      [["name", "program", "process", "allows", "actions"]]
      + doors.map { [SafeText.line($0.name), $0.program, "\($0.process)", $0.rights, "\($0.head)"] }
    let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        column == 4 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      return cells.joined(separator: "  ") + "\n"
    }.joined()
  }
}
