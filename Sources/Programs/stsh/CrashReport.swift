import CCrash
import Platform

/// The traces of a fault of the program itself: a file that says where, the results until then, and an end with status
/// 70 instead of a signal. No Swift runs once there is a fault.
enum CrashReport {
  /// Has faults reported from now on.
  ///
  /// - Parameters:
  ///   - folder: the folder of the files; it is made when there is a first one.
  ///   - version: the program's.
  static func install(folder: String, version: String) {
    var folders: [UnsafeMutablePointer<CChar>?] = [nil]
    var rest = folder[...]
    while let slash = rest.lastIndex(of: "/"), rest.count > 1 {
      folders.insert(strdup(String(rest)), at: 0)
      rest = rest[..<slash]
    }
    // The texts stay as long as the program.
    let kept = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: folders.count)
    _ = kept.initialize(from: folders)
    guard let path = strdup("\(folder)/\(time(nil))-\(getpid()).txt"), let heading = strdup("stsh \(version)") else {
      return
    }
    ccrash_install(kept.baseAddress, path, heading)
  }
}
