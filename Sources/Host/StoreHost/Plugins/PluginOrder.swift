/// How plugins are made ready together that may refer to one another, in whatever order they stand.
package enum PluginOrder {
  /// Makes each ready once what it refers to is. What refers to something that none of them brings, since that was unloaded or
  /// edited meanwhile, comes last and does without.
  ///
  /// - Parameter make: makes one ready; it fails where something is missing, unless that may be so.
  /// - Throws: what `make` throws though something may be missing.
  package static func make<Item>(_ items: [Item], _ make: (Item, _ mayLack: Bool) throws -> Void) throws {
    var missing = items
    var mayLack = false
    while !missing.isEmpty {
      var failed: [Item] = []
      for item in missing {
        do {
          try make(item, mayLack)
        } catch {
          if mayLack { throw error }
          failed.append(item)
        }
      }
      mayLack = failed.count == missing.count
      missing = failed
    }
  }
}
