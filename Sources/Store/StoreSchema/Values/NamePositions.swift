/// The positions of names, such as those of commands and actions, which are looked up with every line. A lookup takes half of a
/// dictionary's, whose hash is one that nobody can foresee; these names are nobody's input.
package struct NamePositions: Sendable {
  /// The names.
  package let names: [String]
  /// The position of a name, from 1, in the first free place from the one that its hash names on; 0: free. At least half is free.
  private var places: [Int]

  /// Makes a table of some names; of one that stands there twice the first position counts.
  package init(_ names: [String]) {
    self.names = names
    var count = 4
    while count < names.count * 2 { count *= 2 }
    places = Array(repeating: 0, count: count)
    for index in names.indices {
      let place = place(of: names[index])
      if places[place] == 0 { places[place] = index + 1 }
    }
  }

  /// The position of a name among ``names``; nil: it is none of them.
  package subscript(name: String) -> Int? {
    let position = places[place(of: name)]
    return position == 0 ? nil : position - 1
  }

  /// The place of a name, or the one where it would go.
  private func place(of name: String) -> Int {
    let mask = places.count - 1
    var place = MapKey.string(name).quickHash & mask
    while places[place] != 0, names[places[place] - 1] != name { place = (place + 1) & mask }
    return place
  }
}
