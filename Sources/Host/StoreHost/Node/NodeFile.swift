import Platform
import StoreHistory
import StorePlugins
import StoreReplication

/// The place in the log up to which a node's file has all, with the times of the last action.
struct NodePlace {
  let position: Replica.Position
  let time: Duration
  /// The time of day of the last action, in milliseconds since 1970; nil: it has none.
  let wallTime: Int?

  init(_ position: Replica.Position, _ time: Duration = .zero, _ wallTime: Int? = nil) {
    (self.position, self.time, self.wallTime) = (position, time, wallTime)
  }

  /// The place as a file has it.
  var text: String {
    let (seconds, attoseconds) = time.components
    let position = position.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(position) \(seconds) \(attoseconds)" + (wallTime.map { " \($0)" } ?? "")
  }

  /// Reads what ``text`` wrote; nil: it is something else.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard 3...4 ~= words.count, let seconds = Int64(words[1]), let attoseconds = Int64(words[2]) else { return nil }
    var (bytes, digits) = ([UInt8](), words[0][...])
    while !digits.isEmpty {
      guard let byte = UInt8(digits.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      digits = digits.dropFirst(2)
    }
    guard let position = Replica.Position(bytes) else { return nil }
    self.init(
      position, Duration(secondsComponent: seconds, attosecondsComponent: attoseconds),
      words.dropFirst(3).first.flatMap { Int($0) })
  }
}

/// The file in which a node of a shared store keeps what it has read: it begins there the next time. The log has all of it, so
/// a file that is gone, or that another version of the program wrote, is made anew.
extension LiveStore {
  /// The state in the file has another type, which the log's snapshots and actions do not bring.
  private struct OtherType: Error {}

  /// Begins with what a node's file holds, and keeps in it what comes from now on.
  ///
  /// - Returns: the place in the log at which that ends; nil: the file is new.
  /// - Throws: ``HostError``: the file cannot be used, or it is that of a store of its own.
  func openFile(ofNode path: String, isGranted: (PluginSource) -> Bool) throws(HostError) -> NodePlace? {
    do {
      do {
        return try openOnce(ofNode: path, isGranted)
      } catch is OtherType {
        for ending in Journal.endings { unlink(path + ending) }
        return try openOnce(ofNode: path, isGranted)
      }
    } catch {
      throw HostError(describing: error)
    }
  }

  private func openOnce(ofNode path: String, _ isGranted: (PluginSource) -> Bool) throws -> NodePlace? {
    var found: NodePlace?
    try openJournal(JournalPlan(path: path), named: path, note: { _ in }, kept: { _ in }) { file, contents in
      let place = contents.place.flatMap { NodePlace($0) }
      guard let place, place.position.action == contents.last else {
        if contents.last == 0 { return nil }
        throw HostError(
          code: .notAllowed, message: "\(path) is not the file of a node of this store",
          hint: "name one that is not there yet; the file is as it was", status: 2)
      }
      guard contents.header.schemaHash == journalHeader(began: contents.header.began).schemaHash else {
        throw OtherType()
      }
      found = place
      return try recover(file, contents, isGranted: isGranted) { plugin in
        guard let source = plugin.kept(in: file) else {
          throw HostError(
            code: .pluginLoad, message: "it does not have the code of the plugin '\(plugin.name)'",
            hint: "remove it: the node then begins with what the log has")
        }
        return source
      }
    }
    turn { journal?.note(found ?? NodePlace(Replica.Position())) }
    return found
  }
}

extension HostJournal {
  /// Takes note that all up to a place in the log was recorded.
  func note(_ place: NodePlace) { journal?.note(place: place.text) }
}
