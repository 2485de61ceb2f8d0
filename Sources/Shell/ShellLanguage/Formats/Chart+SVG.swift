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
