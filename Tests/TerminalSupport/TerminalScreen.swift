/// What a terminal shows after some output: as much of xterm as `stsh` and readline use, so that tests can compare what a person
/// would see.
public struct TerminalScreen {
  /// The cells of each row, from the top of the scroll-back.
  public private(set) var rows: [[Cell]] = [[]]
  /// The cursor's row, from 0.
  public private(set) var row = 0
  /// The cursor's column, from 0.
  public private(set) var column = 0
  /// How often the bell rang.
  public private(set) var bells = 0
  /// The width.
  public private(set) var columns: Int
  /// The rows that go on in the next one: they were full when another character came.
  private var wrapped: Set<Int> = []
  /// The parameters of the sequences that styles were last switched on by.
  private var style: [Int] = []
  /// What ESC 7 keeps.
  private var saved: (row: Int, column: Int, style: [Int]) = (0, 0, [])

  /// The rows that the window has.
  public static let height = 24

  /// A place on the screen.
  public struct Cell: Equatable, Sendable {
    /// Its character; nil where the one before is wide.
    public var character: Character?
    /// The parameters of its style.
    public var style: [Int]

    /// A dim character is a hint: nobody has typed it.
    var isHint: Bool { style.contains(2) }
  }

  /// An empty screen.
  public init(columns: Int) {
    self.columns = columns
  }

  /// The rows without hints and without blanks at their ends, from the top of the scroll-back to the last row in use.
  public var lines: [String] {
    rows.map { Self.text(of: $0.map { $0.isHint ? Self.blank : $0 }) }
  }

  /// The rows as they are, hints too, with each style that is on as its parameters: `<34>show<> counter`.
  public var picture: [String] {
    rows.map { cells in
      var picture = ""
      var style: [Int] = []
      for cell in cells + [Self.blank] {
        if cell.style != style { picture += "<\(cell.style.map(String.init).joined(separator: ";"))>" }
        style = cell.style
        picture += cell.character.map { String($0) } ?? ""
      }
      return String(picture.reversed().drop { $0 == " " }.reversed())
    }
  }

  private static let blank = Cell(character: " ", style: [])

  private static func text(of cells: [Cell]) -> String {
    String(String(cells.compactMap(\.character)).reversed().drop { $0 == " " }.reversed())
  }

  /// The first row that the window shows.
  private var top: Int { max(scrolled, rows.count - Self.height, 0) }
  /// The rows that have left the window at its top.
  private var scrolled = 0

  /// The rows that the window shows, up to the last one in use.
  public var window: [String] { Array(lines[min(top, rows.count)...]) }

  /// The row of the cursor.
  public var cursorLine: String { lines[row] }

  /// Makes the window wider or narrower. Like most terminals, wraps anew what was wrapped.
  public mutating func resize(columns: Int) {
    guard columns != self.columns else { return }
    let (oldRows, oldWrapped, cursor) = (rows, wrapped, (row: row, column: column))
    (rows, wrapped, row, scrolled) = ([], [], 0, 0)
    self.columns = columns
    var start = 0
    while start < oldRows.count {
      var end = start
      while oldWrapped.contains(end), end + 1 < oldRows.count { end += 1 }
      let line = oldRows[start...end].flatMap(\.self)
      if (start...end).contains(cursor.row) {
        let position = oldRows[start..<cursor.row].reduce(0) { $0 + $1.count } + cursor.column
        // Behind the last column the cursor waits for another character.
        let isWaiting = position > 0 && position == line.count && position % columns == 0
        row = rows.count + position / columns - (isWaiting ? 1 : 0)
        column = isWaiting ? columns : position % columns
      }
      for offset in stride(from: 0, to: max(line.count, 1), by: columns) {
        if offset > 0 { wrapped.insert(rows.count - 1) }
        rows.append(Array(line[offset..<min(line.count, offset + columns)]))
      }
      start = end + 1
    }
    while row >= rows.count { rows.append([]) }
  }

  /// Takes in what a program writes.
  public mutating func show(_ output: String) {
    var rest = output.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n":
        row += 1
        if row == rows.count { rows.append([]) }
        scrolled = top
      case "\u{8}": column = max(0, min(column, columns) - 1)
      case "\u{7}": bells += 1
      case "\u{1B}": control(&rest)
      default: put(scalar)
      }
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = Self.width(of: scalar)
    guard width > 0 else { return join(scalar) }
    // Like xterm, wrap when the next character arrives, not when the row is full.
    if column + width > columns {
      wrapped.insert(row)
      show("\r\n")
    }
    pad()
    for offset in 0..<width {
      let cell = Cell(character: offset == 0 ? Character(scalar) : nil, style: style)
      if column < rows[row].count {
        rows[row][column] = cell
      } else {
        rows[row].append(cell)
      }
      column += 1
    }
  }

  /// Puts a mark on the character before it.
  private mutating func join(_ mark: Unicode.Scalar) {
    guard let place = rows[row].prefix(column).lastIndex(where: { $0.character != nil }) else { return }
    let character = rows[row][place].character.map { String($0) } ?? ""
    rows[row][place].character = (character + String(Character(mark))).first
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    if scalar.properties.generalCategory == .nonspacingMark { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFF00...0xFF60,
      0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  private mutating func pad() {
    while rows[row].count < column { rows[row].append(Self.blank) }
  }

  private mutating func control(_ rest: inout Substring.UnicodeScalarView) {
    switch rest.popFirst() {
    case "[": break
    case "7":
      saved = (row, column, style)
      return
    case "8":
      (row, column, style) = saved
      return
    default: return
    }
    var parameters = ""
    while let scalar = rest.popFirst() {
      guard scalar.properties.isAlphabetic || scalar == "@" else {
        parameters.unicodeScalars.append(scalar)
        continue
      }
      if scalar == "m" { return setStyle(parameters) }
      if scalar == "H" { return moveCursor(parameters.split(separator: ";").map { Int($0) ?? 1 }) }
      return run(scalar, Int(parameters))
    }
  }

  private mutating func moveCursor(_ place: [Int]) {
    row = top + min(place.first ?? 1, Self.height) - 1
    column = (place.count > 1 ? place[1] : 1) - 1
    while row >= rows.count { rows.append([]) }
  }

  private mutating func setStyle(_ parameters: String) {
    for parameter in parameters.split(separator: ";", omittingEmptySubsequences: false) {
      switch Int(parameter) ?? 0 {
      case 0: style = []
      case 22: style.removeAll { $0 == 1 || $0 == 2 }
      case 24, 27: style.removeAll { "\($0 + 20)" == parameter }
      case 39: style.removeAll { (30...37).contains($0) }
      case let number: style.append(number)
      }
    }
  }

  private mutating func run(_ command: Unicode.Scalar, _ parameter: Int?) {
    let count = parameter ?? 1
    switch command {
    case "A": row = max(top, row - count)
    case "B": row = min(rows.count - 1, row + count)
    case "C": column = min(columns - 1, column + count)
    case "D": column = max(0, column - count)
    case "K":
      rows[row] = Array(rows[row].prefix(column))
      wrapped.remove(row)
    case "J":
      rows[row] = Array(rows[row].prefix(column))
      rows.removeSubrange((row + 1)...)
      wrapped = wrapped.filter { $0 < row }
    case "P":
      pad()
      rows[row].removeSubrange(column..<min(rows[row].count, column + count))
    case "@":
      pad()
      rows[row].insert(contentsOf: [Cell](repeating: Self.blank, count: count), at: column)
      rows[row].removeLast(max(0, rows[row].count - columns))
    default: break
    }
  }
}
