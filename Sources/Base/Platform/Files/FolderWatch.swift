/// Tells which folders somebody saved something in, by inotify: files that were written and closed, or moved there.
/// Some editors save beside the file and rename. Files that were moved away count too: an editor may be about to put
/// others there.
///
/// On systems without inotify it tells of nothing.
package final class FolderWatch {
  /// Readable when there is something to be told; -1: never.
  package let descriptor: Int32
  /// The watched places, by the number that the system gave them.
  private var places: [Int32: [Place]] = [:]

  /// The meaning of an event somewhere.
  private struct Place: Hashable {
    let folder: String
    /// The one name there that counts; nil: all do.
    let name: String?
  }

  package init() {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Watches folders with what stands below their `lib`, and where they stand themselves, so that one is found again that was
  /// replaced as a whole. To be called again when there may be new ones.
  package func follow(_ folders: [String]) {
    var found: [Int32: Set<Place>] = [:]
    func add(_ path: String, _ place: Place) {
      guard let number = watch(path) else { return }
      found[number, default: []].insert(place)
    }
    for folder in folders {
      add(folder, Place(folder: folder, name: nil))
      for path in Self.folders(below: "\(folder)/lib") { add(path, Place(folder: folder, name: nil)) }
      add(
        folder.folder,
        Place(folder: folder, name: String(folder.split(separator: "/", omittingEmptySubsequences: false).last ?? "")))
    }
    for number in places.keys where found[number] == nil { inotify_rm_watch(descriptor, number) }
    places = found.mapValues { Array($0) }
  }

  /// A folder and those in it; folders that are links are not entered.
  private static func folders(below path: String) -> [String] {
    guard Files.isDirectory(path) else { return [] }
    return [path] + Files.names(in: path).map { "\(path)/\($0)" }.filter { !Files.isLink($0) }.flatMap(folders)
  }

  private static let events =
    UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
    | UInt32(IN_ONLYDIR)

  private func watch(_ path: String) -> Int32? {
    let number = inotify_add_watch(descriptor, path, Self.events)
    return number < 0 ? nil : number
  }

  /// The folders in which something was saved, or from which something was taken, since it was last asked.
  package func take() -> Set<String> {
    var folders: Set<String> = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
      buffer.withUnsafeBytes { bytes in
        var offset = 0
        let head = MemoryLayout<inotify_event>.size
        while offset + head <= count {
          let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let name = bytes[(offset + head)..<(offset + head + Int(event.len))].prefix { $0 != 0 }
          note(event, String(decoding: name, as: UTF8.self), in: &folders)
          offset += head + Int(event.len)
        }
      }
    }
    return folders
  }

  private func note(_ event: inotify_event, _ name: String, in folders: inout Set<String>) {
    // Too much happened to be told one by one.
    guard event.mask & UInt32(IN_Q_OVERFLOW) == 0 else {
      return folders.formUnion(places.values.joined().map(\.folder))
    }
    // A file that was only created is not written yet.
    guard event.mask & UInt32(IN_CREATE) == 0 || event.mask & UInt32(IN_ISDIR) != 0 else { return }
    for place in places[event.wd] ?? [] where place.name == nil || place.name == name { folders.insert(place.folder) }
  }
}
