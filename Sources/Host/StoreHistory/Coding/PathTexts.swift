import StoreSchema

/// The texts of paths that changes were written with. Changes at one place share the steps of their path, as
/// `DifferenceFinder` gives it. The text is made once and found by the address of the steps.
struct PathTexts {
  private struct Known {
    var address = 0
    /// Keeps the steps where they are.
    var path = Path()
    /// Empty until the path comes again, which most paths of a large state never do.
    var text: [UInt8] = []
  }

  /// Each at the place that its address gives it, until another takes that.
  private var known: [Known] = []
  private static let capacity = 512

  /// Appends the path of a change as ``EntryWriter`` does.
  mutating func append(pathOf change: UnsafePointer<Change>, to out: inout [UInt8]) {
    if known.isEmpty { known = Array(repeating: Known(), count: Self.capacity) }
    let address = change.pointee.path.steps.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
    // Memory is given out in steps of 16 bytes.
    let place = (address >> 4) & (Self.capacity - 1)
    guard known[place].address == address else {
      let path = change.pointee.path
      known[place] = Known(address: address, path: path)
      return EntryWriter.append(path, to: &out)
    }
    if known[place].text.isEmpty { EntryWriter.append(change.pointee.path, to: &known[place].text) }
    out.append(contentsOf: known[place].text)
  }
}
