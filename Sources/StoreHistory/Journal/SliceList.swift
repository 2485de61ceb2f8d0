/// The ids of the slices that a snapshot consists of, as its row has them: a JSON array, in the order of the modules.
struct SliceList {
  /// The ids.
  let ids: [Int]

  /// Takes ids.
  init(_ ids: [Int]) { self.ids = ids }

  /// Reads a row's text; nil: it is not what was written.
  init?(_ text: String) {
    guard text.first == "[", text.last == "]", text.utf8.count > 2 else { return nil }
    var ids: [Int] = []
    for part in text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false) {
      guard let id = Int(part), id > 0 else { return nil }
      ids.append(id)
    }
    self.ids = ids
  }

  /// The text of a row.
  var text: String { "[\(ids.map(String.init).joined(separator: ","))]" }
}
