#if Inspector
import Foundation
import InspectorPage

/// The files of the page, which stand in the program.
struct PageFiles {
  struct File {
    let type: String
    let body: Data
  }

  private let files: [String: File]

  init() {
    var files: [String: File] = [:]
    var index = 0
    while let file = page_file(index)?.pointee {
      files[String(cString: file.path)] = File(
        type: String(cString: file.type), body: Data(bytes: file.bytes, count: file.count))
      index += 1
    }
    self.files = files
  }

  /// The file at a path; nil: there is none.
  subscript(path: String) -> File? { files[path == "/" ? "/index.html" : path] }
}
#endif
