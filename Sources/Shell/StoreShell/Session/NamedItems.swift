/// Items by their names, in the order in which they were given. To find, add or remove one takes the same time however many there are.
struct NamedItems<Item>: Sequence {
  private var places: [String: Int] = [:]
  /// The items with gaps where some were removed.
  private var items: [(name: String, item: Item)?] = []

  var count: Int { places.count }
  /// The number of items and gaps.
  var slots: Int { items.count }
  var isEmpty: Bool { places.isEmpty }
  /// The names in the order of the items.
  var names: [String] { items.compactMap { $0?.name } }

  subscript(name: String) -> Item? { places[name].flatMap { items[$0]?.item } }

  /// True if there is an item of that name.
  func contains(_ name: String) -> Bool { places[name] != nil }

  /// Adds an item behind all others; an earlier one of its name goes.
  mutating func append(_ item: Item, named name: String) {
    remove(name)
    places[name] = items.count
    items.append((name, item))
  }

  /// Removes the item of a name, if there is one.
  mutating func remove(_ name: String) {
    guard let place = places.removeValue(forKey: name) else { return }
    items[place] = nil
    guard items.count > 16, items.count > 2 * places.count else { return }
    items.removeAll { $0 == nil }
    for (place, item) in items.enumerated() { if let item { places[item.name] = place } }
  }

  func makeIterator() -> some IteratorProtocol<Item> { items.lazy.compactMap { $0?.item }.makeIterator() }
}

extension NamedItems<Void> {
  /// Adds a name behind all others, unless it is there.
  mutating func insert(_ name: String) { if !contains(name) { append((), named: name) } }
}
