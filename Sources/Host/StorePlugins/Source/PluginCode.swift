import Platform

/// The files of a plugin that run in it, as they were at one moment.
struct PluginCode: Hashable, Sendable {
  private var files: [(name: String, bytes: [UInt8])] = []
  private let manifest: [UInt8]
  /// The most bytes that all of them may have.
  static let limit = 16 << 20
  /// True if there is more code than that; not all files are read then.
  private(set) var isTooLarge = false
  /// FNV-1a in 64 bits, over the names, sizes and bytes of all files.
  private(set) var digest = ""

  /// Reads `init.lua` and what stands below `lib`. A file that cannot be read is left out: whoever needs it is told why.
  ///
  /// - Parameter manifest: the bytes of `plugin.json`.
  init(of folder: String, manifest: [UInt8]) {
    self.manifest = manifest
    for name in ["init.lua"] + Files.luaFiles(below: "\(folder)/lib").map({ "lib/\($0)" }) {
      if let bytes = try? PluginFile.read(name, in: folder) { files.append((name, bytes)) }
      isTooLarge = files.reduce(0) { $0 + $1.bytes.count } > Self.limit
      if isTooLarge { break }
    }
    digest = makeDigest()
  }

  /// The names of the files.
  var names: [String] { files.map(\.name) }

  /// The bytes of a file, where it was there.
  subscript(name: String) -> [UInt8]? { files.first { $0.name == name }?.bytes }

  private func makeDigest() -> String {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for (name, bytes) in [("plugin.json", manifest)] + files {
      name.utf8.forEach(add)
      withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { $0.forEach(add) }
      bytes.forEach(add)
    }
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  static func == (left: PluginCode, right: PluginCode) -> Bool {
    left.manifest == right.manifest
      && left.files.elementsEqual(right.files) { $0.name == $1.name && $0.bytes == $1.bytes }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(manifest) }
}
