/// An element with heap storage that counts how often it is copied on write, to show which operations leave it alone.
struct Payload: Equatable {
  private final class Box {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  private var box: Box
  private(set) var copies = 0

  init(_ number: Int) { box = Box(number) }

  var number: Int {
    get { box.number }
    set {
      if !isKnownUniquelyReferenced(&box) {
        box = Box(box.number)
        copies += 1
      }
      box.number = newValue
    }
  }

  static func == (left: Self, right: Self) -> Bool { left.number == right.number }
}
