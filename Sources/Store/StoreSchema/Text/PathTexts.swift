/// The texts of paths that changes were written with. Changes at one place share the steps of their path, as
/// ``DifferenceFinder`` gives it. The text is made once and found by the address of the steps.
package struct PathTexts {
  private struct Known {
    var address = 0
    /// Keeps the steps where they are.
    var path = Path()
    /// Empty until the path comes again, which most paths of a large state never do.
    var text: [UInt8] = []
  }

  /// Each at the place that its address gives it, until another takes that.
  private var known: [Known] = []
  /// True if the texts are the insides of JSON texts.
  private let areInJSON: Bool
  private static let capacity = 512

  /// Knows no path yet.
  package init(areInJSON: Bool = true) { self.areInJSON = areInJSON }

  /// The place of the text of a change's path; nil: the path is to be written out, and is known from now on.
  package mutating func place(of change: UnsafePointer<Change>) -> Int? {
    if known.isEmpty { known = Array(repeating: Known(), count: Self.capacity) }
    let address = change.pointee.path.steps.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
    // Memory is given out in steps of 16 bytes.
    let place = (address >> 4) & (Self.capacity - 1)
    guard known[place].address == address else {
      known[place] = Known(address: address, path: change.pointee.path)
      return nil
    }
    if known[place].text.isEmpty {
      if areInJSON {
        known[place].text.append(inJSON: change.pointee.path)
      } else {
        change.pointee.path.append(to: &known[place].text)
      }
    }
    return place
  }

  /// Hands out the text at a place.
  package func withText(at place: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    known[place].text.withUnsafeBufferPointer(body)
  }
}
