/// The list of slices in the row of a snapshot. The row has a JSON array of their ids, in the order of the modules.
/// Behind them stands a checksum as text.
struct SliceList {
  /// A slice, as its own row has it.
  typealias Slice = (id: Int, module: String, checksum: Int)

  /// The ids of the slices.
  let ids: [Int]
  /// The checksum over the snapshot's number and its slices.
  private let checksum: String

  /// Lists slices.
  init(_ number: Int, _ slices: [Slice]) {
    ids = slices.map(\.id)
    checksum = Self.checksum(number, slices)
  }

  /// Reads a row's text; nil: it is not what was written.
  init?(_ text: String) {
    guard text.first == "[", text.last == "]" else { return nil }
    var parts = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
    checksum = parts.popLast().map { String($0) } ?? ""
    ids = parts.compactMap { Int($0) }
    guard !ids.isEmpty, ids.count == parts.count else { return nil }
  }

  /// The text of a row.
  var text: String { "[\((ids.map(String.init) + [checksum]).joined(separator: ","))]" }

  /// True if these are the slices that were written for a snapshot.
  ///
  /// - Parameter slices: the slices with the ids, as far as they can be read.
  func isSound(_ number: Int, _ slices: [Slice]) -> Bool {
    slices.map(\.id) == ids && Set(slices.map(\.module)).count == ids.count
      && checksum == Self.checksum(number, slices)
  }

  private static func checksum(_ number: Int, _ slices: [Slice]) -> String {
    var checksum = RowChecksum()
    checksum.add(number)
    for slice in slices {
      checksum.add(slice.id)
      checksum.add(slice.module)
      checksum.add(slice.checksum)
    }
    return "\"\(String(checksum.value, radix: 16))\""
  }
}
