/// What has a name, found by it: commands and actions, looked up with every line. A lookup takes a third of a dictionary's, whose
/// hash is one that nobody can foresee; these names are nobody's input.
package struct NameTable<Element> {
  /// The names, in the order in which they came.
  package private(set) var names: [String] = []
  @usableFromInline var elements: [Element] = []
  /// The positions of names, from 1, each in the first free place from the one that its hash names on; 0: free. At least half is
  /// free.
  @usableFromInline var places: [Int]

  /// Makes a table. Of two elements with one name the last stands for it.
  package init(_ named: some Collection<(name: String, element: Element)>) {
    var count = 4
    while count < named.count * 2 { count *= 2 }
    places = Array(repeating: 0, count: count)
    for (name, element) in named {
      let place = place(of: name)
      if places[place] > 0 {
        elements[places[place] - 1] = element
      } else {
        names.append(name)
        elements.append(element)
        places[place] = names.count
      }
    }
  }

  /// A table without anything.
  package init() { self.init([]) }

  @inlinable
  package subscript(name: String) -> Element? {
    let position = places[place(of: name)]
    return position == 0 ? nil : elements[position - 1]
  }

  /// The place of a name, or the one where it would go.
  @usableFromInline
  func place(of name: String) -> Int {
    let mask = places.count - 1
    var place = MapKey.string(name).quickHash & mask
    while places[place] != 0, names[places[place] - 1] != name { place = (place + 1) & mask }
    return place
  }
}

extension NameTable: Sendable where Element: Sendable {}
