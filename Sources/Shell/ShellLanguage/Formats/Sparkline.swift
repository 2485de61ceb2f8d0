import StoreSchema

/// Draws `spark`: a bar for each number of a list, from the smallest to the largest.
package enum Sparkline {
  /// The bars; a list's none is a gap.
  ///
  /// - Throws: ``ShellError`` where there is something else than numbers.
  package static func text(of value: Value, isUTF8: Bool) throws(ShellError) -> String {
    var numbers: [Double?] = []
    if case .list(let list) = value {
      for element in list { numbers.append(try number(element)) }
    } else {
      numbers = [try number(value)]
    }
    let bars: [Character] = isUTF8 ? ["▁", "▂", "▃", "▅", "█"] : ["_", ".", "-", "=", "#"]
    let finite = numbers.compactMap(\.self).filter(\.isFinite)
    let smallest = finite.min() ?? 0
    let largest = finite.max() ?? 0
    return String(
      numbers.map { number in
        guard let number, !number.isNaN else { return " " }
        guard number > smallest, largest > smallest else { return bars[0] }
        let share = share(of: min(number, largest), smallest, largest)
        return bars[Int(share * Double(bars.count - 1) + 0.5)]
      })
  }

  /// How far a value is from the smallest to the largest: 0 to 1.
  static func share(of value: Double, _ smallest: Double, _ largest: Double) -> Double {
    // Halves keep the difference of the extremes within range, but those of the smallest numbers are zero.
    let share = (value / 2 - smallest / 2) / (largest / 2 - smallest / 2)
    return share.isFinite ? share : value > smallest ? 1 : 0
  }

  private static func number(_ value: Value) throws(ShellError) -> Double? {
    switch value {
    case .none: return nil
    case .int(let number): return Double(number)
    case .double(let number): return number
    case .decimal(let number): return number.nearestFloat
    default:
      throw ShellError(
        code: .typeMismatch, message: "spark draws a list of numbers, got \(value.described)",
        hint: "choose one field of all items, as in items[*].size")
    }
  }
}
