extension [Int] {
  /// The numbers of a longest part of the array, gaps allowed, that ascends. The numbers are all different.
  var longestAscent: Set<Int> {
    // For each length the position of the least number with which a part of that length ends, and before each its predecessor.
    var ends: [Int] = []
    var before = Array(repeating: -1, count: count)
    for position in indices {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if self[ends[middle]] < self[position] { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[position] = ends[low - 1] }
      if low < ends.count { ends[low] = position } else { ends.append(position) }
    }
    var found: Set<Int> = []
    var position = ends.last ?? -1
    while position >= 0 {
      found.insert(self[position])
      position = before[position]
    }
    return found
  }
}
