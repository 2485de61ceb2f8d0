/// The names of chunks: in Lua, where the message of a caught error shows them to code, and in the host's output.
struct ChunkNames {
  /// A folder whose files Lua knows by another name than the one that is shown; nil: none.
  var folder: (inLua: String, shown: String)?
  /// Names of chunks that Lua shortens in messages, by the short one.
  private var shortened: [String: String] = [:]

  /// Gives the name of a chunk in Lua from now on.
  mutating func add(_ shown: String) -> String {
    let name = renaming(shown, toLua: true)
    let bytes = name.utf8
    if bytes.count > 59 { shortened["..." + String(decoding: bytes.suffix(56), as: UTF8.self)] = name }
    return name
  }

  /// The shown name of a chunk, by its name in Lua.
  func shown(_ chunk: String) -> String { renaming(chunk, toLua: false) }

  /// The same of a message of Lua's, which may begin with the name of a chunk, and with that of a file behind its line.
  func shown(message: String) -> String {
    var message = message
    if let (short, long) = shortened.first(where: { message.hasPrefix($0.key + ":") }) {
      message = long + message.dropFirst(short.count)
    }
    guard let place = message.firstRange(of: ": ") else { return shown(message) }
    return shown(String(message[..<place.upperBound])) + shown(String(message[place.upperBound...]))
  }

  /// A message as Lua gets it, which may begin with what is shown of a chunk.
  func inLua(message: String) -> String { renaming(message, toLua: true) }

  private func renaming(_ text: String, toLua: Bool) -> String {
    guard let folder, folder.inLua != folder.shown else { return text }
    let (from, to) = toLua ? (folder.shown, folder.inLua) : (folder.inLua, folder.shown)
    // Else it is what somebody says that begins alike.
    guard text.hasPrefix(from + "/"), text.dropFirst(from.count).prefix(while: { $0 != ":" }).hasSuffix(".lua") else {
      return text
    }
    return to + text.dropFirst(from.count)
  }
}
