import Platform
import StoreSchema

/// Why a file of a plugin cannot be read.
struct PluginFileError: Error {
  /// The fault of the file, in a few words.
  let reason: String
}

/// The files of a plugin's folder, which somebody else made: what stands there may be anything.
enum PluginFile {
  /// The most bytes that one may have.
  static let limit = 8 << 20

  /// The bytes of a file.
  ///
  /// - Parameter name: its path within the folder.
  /// - Throws: ``PluginFileError`` where it cannot be read, is not a regular file, is too large or stands somewhere else.
  static func read(_ name: String, in folder: String) throws(PluginFileError) -> [UInt8] {
    let path = try resolved("\(folder)/\(name)")
    guard path.hasPrefix(try resolved(folder) + "/") else {
      throw PluginFileError(reason: "it is a link that leads out of the plugin's folder")
    }
    let bytes: [UInt8]
    do throws(FileError) {
      let descriptor = try Files.openRegular(path, followsLink: false)
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_size <= limit else {
        throw FileError(path: path, unreadable: "it is larger than \(limit >> 20) MiB")
      }
      bytes = try Files.read(descriptor, path: path)
    } catch {
      throw PluginFileError(reason: error.reason)
    }
    if let fault = ForeignEncoding.fault(of: bytes) { throw PluginFileError(reason: fault) }
    return bytes
  }

  /// The target of a path, without links.
  private static func resolved(_ path: String) throws(PluginFileError) -> String {
    if let found = Files.resolved(path) { return found }
    throw PluginFileError(reason: FileError(path: path, code: errno).reason)
  }
}
