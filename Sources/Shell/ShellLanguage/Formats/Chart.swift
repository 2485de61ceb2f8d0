import StoreSchema

/// Lines over a common axis: drawn in a terminal, one below the other, or as SVG, in one picture.
package struct Chart {
  /// The places of the values across.
  package let across: Axis
  /// The lines: a name and a value for each place; nil: a gap.
  package let series: [(name: String, values: [Double?])]

  package enum Axis {
    /// Numbers, ascending, and their names, as of moments; none: they are their own.
    case numbers([Double], names: [String])
    /// Names, at the same distance from each other.
    case labels([String])
  }

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

/// A chart as a picture.
extension Chart {
  private static let size = (width: 800.0, height: 400.0)
  private static let margin = (left: 70.0, right: 20.0, top: 40.0, bottom: 50.0)
  private static let colors = ["#1f6feb", "#d1242f", "#1a7f37", "#8250df", "#bc4c00", "#57606a"]

  /// The picture, as a file of its own.
  package func svg(title: String) -> String {
    let (width, height) = Self.size
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" font-family="sans-serif" \
      font-size="12" fill="#24292f">
      <rect width="100%" height="100%" fill="#ffffff"/>
      <text x="\(Int(Self.margin.left))" y="20" font-size="14">\(Self.escaped(title))</text>

      """
    let finite = series.flatMap(\.values).compactMap(\.self).filter(\.isFinite)
    guard let smallest = finite.min(), let largest = finite.max() else {
      return text + "<text x=\"\(Int(Self.margin.left))\" y=\"200\">no values</text>\n</svg>\n"
    }
    let ticks = Self.ticks(smallest, largest)
    let (bottom, top) = (min(smallest, ticks.first ?? smallest), max(largest, ticks.last ?? largest))
    for tick in ticks {
      let y = Self.down(tick, bottom, top)
      text += "<line x1=\"\(Int(Self.margin.left))\" x2=\"\(Int(width - Self.margin.right))\" y1=\"\(y)\" y2=\"\(y)\" "
      text += "stroke=\"#d0d7de\"/>\n"
      text += "<text x=\"\(Int(Self.margin.left) - 6)\" y=\"\(y + 4)\" text-anchor=\"end\">\(Self.label(tick))</text>\n"
    }
    var taken = 0.0
    for (place, label) in places {
      // About as wide as its letters: one that would leave the picture begins or ends at its place, and none stands on another.
      let room = Double(label.count) * 7
      let (anchor, start) =
        place < room / 2
        ? ("start", place) : place + room / 2 > width ? ("end", place - room) : ("middle", place - room / 2)
      guard start >= taken else { continue }
      taken = start + room + 4
      text += "<text x=\"\(place)\" y=\"\(height - Self.margin.bottom + 18)\" "
      text += "text-anchor=\"\(anchor)\">\(Self.escaped(label))</text>\n"
    }
    for (index, line) in series.enumerated() {
      let color = Self.colors[index % Self.colors.count]
      text += "<path fill=\"none\" stroke=\"\(color)\" stroke-width=\"1.5\" d=\"\(path(line.values, bottom, top))\"/>\n"
      guard series.count > 1 else { continue }
      let y = height - 10
      text += "<text x=\"\(Int(Self.margin.left) + 120 * index)\" y=\"\(y)\" fill=\"\(color)\">"
      text += "\(Self.escaped(line.name))</text>\n"
    }
    return text + "</svg>\n"
  }

  /// The way of the pen.
  private func path(_ values: [Double?], _ bottom: Double, _ top: Double) -> String {
    var path = ""
    var isDown = false
    for (index, value) in values.enumerated() {
      guard let value, value.isFinite else {
        isDown = false
        continue
      }
      path += "\(isDown ? "L" : "M")\(Self.rounded(position(index))) \(Self.down(value, bottom, top))"
      // A point with gaps at both sides is seen too.
      if !isDown, index + 1 == values.count || values[index + 1] == nil { path += "h0.5" }
      isDown = true
    }
    return path
  }

  /// How far to the right a value stands.
  private func position(_ index: Int) -> Double {
    let room = Self.size.width - Self.margin.left - Self.margin.right
    let share: Double
    switch across {
    case .labels(let labels): share = labels.count > 1 ? Double(index) / Double(labels.count - 1) : 0
    case .numbers(let numbers, _):
      let (first, last) = (numbers.first ?? 0, numbers.last ?? 0)
      share = last > first ? (numbers[index] - first) / (last - first) : 0
    }
    return Self.margin.left + share * room
  }

  /// The labels across: some of the places.
  private var places: [(position: Double, label: String)] {
    let count: Int
    switch across {
    case .labels(let labels): count = labels.count
    case .numbers(let numbers, _): count = numbers.count
    }
    guard count > 0 else { return [] }
    let most = min(count, 6)
    return (0..<most).map { step in
      let index = most == 1 ? 0 : step * (count - 1) / (most - 1)
      switch across {
      case .labels(let names),
        .numbers(_, let names) where !names.isEmpty:
        return (Self.rounded(position(index)), names[index])
      case .numbers(let numbers, _): return (Self.rounded(position(index)), Self.label(numbers[index]))
      }
    }
  }

  private static func down(_ value: Double, _ bottom: Double, _ top: Double) -> Double {
    let room = size.height - margin.top - margin.bottom
    return rounded(size.height - margin.bottom - Sparkline.share(of: value, bottom, top) * room)
  }

  private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }

  /// Some round numbers from below the smallest to above the largest.
  private static func ticks(_ smallest: Double, _ largest: Double) -> [Double] {
    let range = largest - smallest
    guard range > 0, range.isFinite else { return [smallest] }
    var unit = 1.0
    while unit * 10 <= range { unit *= 10 }
    while unit > range { unit /= 10 }
    let step = [0.2, 0.5, 1, 2].map { $0 * unit }.first { range / $0 <= 6 } ?? 2 * unit
    let first = (smallest / step).rounded(.down)
    let last = (largest / step).rounded(.up)
    // Whole steps, divided where they are parts of one, so that 0.3 is no sum of 0.1.
    return stride(from: first, through: last, by: 1).map { step >= 1 ? $0 * step : $0 / (1 / step).rounded() }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
