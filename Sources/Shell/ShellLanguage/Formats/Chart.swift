import StoreSchema

/// Lines over a common axis: drawn in a terminal, one below the other, or as SVG, in one picture.
package struct Chart {
  /// The places of the values across.
  package let across: Axis
  /// The lines: a name and a value for each place; nil: a gap.
  package let series: [(name: String, values: [Double?])]

  /// The places across.
  package enum Axis {
    /// Numbers, ascending, and their names, as of moments; none: they are their own.
    case numbers([Double], names: [String])
    /// Names, at the same distance from each other.
    case labels([String])
  }

  /// Joins lines over an axis.
  package init(across: Axis, series: [(name: String, values: [Double?])]) {
    self.across = across
    self.series = series
  }

  /// The elements of a list, or of a map: numbers, or fields of records.
  ///
  /// - Parameters:
  ///   - x: the field across; nil: the position, or the key of a map.
  ///   - y: the fields that are drawn; none: the elements themselves.
  ///   - name: the name of the elements.
  package init(of value: Value, x: String?, y: [String], called name: String) throws(ShellError) {
    var elements: [(key: Value, value: Value)] = []
    switch value {
    case .list(let list): elements = list.enumerated().map { (.int($0.offset + 1), $0.element) }
    case .map(let map):
      for (key, element) in map {
        switch key {
        case .int(let number): elements.append((.int(number), element))
        case .string(let text): elements.append((.string(text), element))
        }
      }
    default:
      throw ShellError(code: .typeMismatch, message: "--x and --y are for a list or a map, got \(value.described)")
    }
    var places: [Value] = []
    for element in elements {
      places.append(try x.map { (x) throws(ShellError) in try Self.part(x, of: element.value) } ?? element.key)
    }
    var lines: [(name: String, values: [Double?])] = []
    for field in y.isEmpty ? [nil] : y.map(Optional.some) {
      var values: [Double?] = []
      for element in elements {
        let part = try field.map { (field) throws(ShellError) in try Self.part(field, of: element.value) }
        values.append(try (part ?? element.value).number())
      }
      lines.append((field ?? name, values))
    }
    let names = places.map { $0.text ?? ActionText.literal(of: $0) }
    var areMoments = false
    var numbers = places.compactMap { place -> Double? in
      switch place {
      case .int(let number): Double(number)
      case .double(let number) where number.isFinite: number
      case .decimal(let number): number.nearestFloat
      default: nil
      }
    }
    if numbers.isEmpty {
      numbers = places.compactMap { $0.text.flatMap(TimeText.seconds) }
      areMoments = true
    }
    guard numbers.count == places.count, x != nil || areMoments else {
      self.init(across: .labels(names), series: lines)
      return
    }
    let order = numbers.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
    self.init(
      across: .numbers(order.map { numbers[$0] }, names: areMoments ? order.map { names[$0] } : []),
      series: lines.map { line in (line.name, order.map { line.values[$0] }) })
  }

  private static func part(_ field: String, of element: Value) throws(ShellError) -> Value {
    let found: Value?
    switch element {
    case .record(let record): found = record[field]
    case .map(let map): found = map[.string(field)]
    default: found = nil
    }
    if let found { return found }
    var names: [String] = []
    switch element {
    case .record(let record): names = record.layout.fields
    case .map(let map): names = map.compactMap { if case .string(let name) = $0.0 { name } else { nil } }
    default: break
    }
    throw ShellError(
      code: .unknownPath, message: "an element has no field '\(field)'",
      hint: Suggestion.question(field, among: names)
        ?? (names.isEmpty ? nil : "it has \(names.joined(separator: ", "))"))
  }

  /// The drawing in a terminal. Of several lines each has its name above it.
  package func text(width: Int, isUTF8: Bool) -> String {
    let (first, last) = ends
    return series.map { line in
      let chart = LineChart(
        values: spread(line.values, over: 2 * min(width, 200)), width: min(width, 200), height: 8, isUTF8: isUTF8)
      return (series.count > 1 ? "\(line.name)\n" : "") + chart.text(from: first, to: last)
    }.joined()
  }

  /// The names of the first and the last place.
  private var ends: (String, String) {
    switch across {
    case .labels(let names),
      .numbers(_, let names) where !names.isEmpty:
      (names.first ?? "", names.last ?? "")
    case .numbers(let numbers, _): (Self.label(numbers.first ?? 0), Self.label(numbers.last ?? 0))
    }
  }

  /// The values at places of the same distance.
  private func spread(_ values: [Double?], over count: Int) -> [Double?] {
    guard case .numbers(let places, _) = across, let first = places.first, let last = places.last, last > first,
      !Self.isEven(places)
    else { return values }
    // So fine that few values fall together, of which the greater one is kept.
    let count = max(8 * count, 4 * places.count)
    var next = 0
    var spread = (0..<count).map { index -> Double? in
      let place = first + (last - first) * Double(index) / Double(count - 1)
      while next + 1 < places.count, places[next + 1] <= place { next += 1 }
      guard let here = values[next] else { return nil }
      guard next + 1 < places.count, places[next + 1] > places[next], let there = values[next + 1] else { return here }
      return here + (there - here) * (place - places[next]) / (places[next + 1] - places[next])
    }
    var taken: Int?
    for (place, value) in zip(places, values) {
      let index = Int(((place - first) / (last - first) * Double(count - 1)).rounded())
      if taken == index, let value, let other = spread[index], value < other { continue }
      (spread[index], taken) = (value, index)
    }
    return spread
  }

  private static func isEven(_ places: [Double]) -> Bool {
    guard places.count > 2 else { return true }
    let step = (places[places.count - 1] - places[0]) / Double(places.count - 1)
    return places.indices.dropFirst().allSatisfy { abs(places[$0] - places[$0 - 1] - step) <= abs(step) * 0.01 }
  }

  static func label(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
  }
}

extension Value {
  /// The value as a number; nil: there is none.
  package func number() throws(ShellError) -> Double? {
    switch self {
    case .none: nil
    case .int(let number): Double(number)
    case .double(let number): number
    case .decimal(let number): number.nearestFloat
    case .bool(let isTrue): isTrue ? 1 : 0
    default: throw ShellError(code: .typeMismatch, message: "plot draws numbers, got \(described)")
    }
  }
}
