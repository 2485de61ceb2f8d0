import Platform

/// The files of a plugin that run in it, as they were at one moment.
struct PluginCode: Hashable, Sendable {
  /// The manifest, and behind it what is Lua, by their paths in the folder.
  private(set) var files: [(path: String, bytes: [UInt8])]
  /// The most bytes that all of Lua may have.
  static let limit = 16 << 20
  /// True if there is more code than that; not all files are read then.
  private(set) var isTooLarge = false
  /// FNV-1a in 64 bits, over the names, sizes and bytes of all files.
  private(set) var digest = ""

  /// Reads `init.lua` and what stands below `lib`. A file that cannot be read is left out: whoever needs it is told why.
  ///
  /// - Parameter manifest: the bytes of `plugin.json`.
  init(of folder: String, manifest: [UInt8]) {
    files = [("plugin.json", manifest)]
    var size = 0
    for name in ["init.lua"] + Files.luaFiles(below: "\(folder)/lib").map({ "lib/\($0)" }) where !isTooLarge {
      guard let bytes = try? PluginFile.read(name, in: folder) else { continue }
      files.append((name, bytes))
      size += bytes.count
      isTooLarge = size > Self.limit
    }
    digest = makeDigest()
  }

  /// Takes files that were kept, in their order.
  init(kept files: [(path: String, bytes: [UInt8])]) {
    self.files = files
    digest = makeDigest()
  }

  /// The names of the files of Lua.
  var names: [String] { files.dropFirst().map(\.path) }

  /// The bytes of a file, where it was there.
  subscript(name: String) -> [UInt8]? { files.first { $0.path == name }?.bytes }

  private func makeDigest() -> String {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for (path, bytes) in files {
      path.utf8.forEach(add)
      withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { $0.forEach(add) }
      bytes.forEach(add)
    }
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  static func == (left: PluginCode, right: PluginCode) -> Bool {
    left.files.elementsEqual(right.files) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
