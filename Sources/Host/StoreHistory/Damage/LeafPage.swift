/// A value as SQLite stores it.
enum StoredValue: Equatable {
  case null
  case integer(Int)
  case double(Double)
  case text([UInt8])
}

/// The rows of a page of an SQLite file that holds rows, whatever leads to it or does not any more. The form is that of
/// https://www.sqlite.org/fileformat2.html.
struct LeafPage {
  /// A row.
  struct Row {
    /// Its number; nil: the table has none.
    let id: Int?
    /// Its columns, in their order.
    let values: [StoredValue]
  }

  /// The rows that can be read.
  private(set) var rows: [Row] = []
  private let image: FileImage
  private let start: Int
  /// Whether rows have numbers.
  private let isNumbered: Bool

  /// Reads a page; nil: it holds no rows.
  ///
  /// - Parameter number: that of the page, from 1.
  init?(_ number: Int, of image: FileImage) {
    self.image = image
    start = (number - 1) * image.pageSize
    // Before the content of the first page stands the head of the file.
    let head = start + (number == 1 ? 100 : 0)
    guard let kind = image.byte(head), kind == 0x0D || kind == 0x0A else { return nil }
    isNumbered = kind == 0x0D
    let count = image.number(head + 3, 2) ?? 0
    guard count > 0, head + 8 + count * 2 <= start + image.pageSize else { return nil }
    for index in 0..<count {
      guard let offset = image.number(head + 8 + index * 2, 2), let row = row(at: start + offset) else { continue }
      rows.append(row)
    }
  }

  private func row(at offset: Int) -> Row? {
    var position = offset
    guard let size = image.variable(&position), size > 0, size < 1 << 31 else { return nil }
    var id: Int?
    if isNumbered {
      guard let number = image.variable(&position) else { return nil }
      id = number
    }
    guard let payload = payload(at: position, size), let values = StoredValue.values(payload) else { return nil }
    return Row(id: id, values: values)
  }

  /// The bytes of a row, of which long ones go on in pages of their own.
  private func payload(at offset: Int, _ size: Int) -> [UInt8]? {
    let usable = image.pageSize
    let most = isNumbered ? usable - 35 : (usable - 12) * 64 / 255 - 23
    let end = start + image.pageSize
    if size <= most { return offset + size <= end ? image.bytes(offset, size) : nil }
    let least = (usable - 12) * 32 / 255 - 23
    let fitting = least + (size - least) % (usable - 4)
    let local = fitting <= most ? fitting : least
    guard offset + local + 4 <= end, var payload = image.bytes(offset, local) else { return nil }
    payload.reserveCapacity(size)
    var next = image.number(offset + local, 4) ?? 0
    while payload.count < size {
      let page = (next - 1) * image.pageSize
      let count = min(size - payload.count, usable - 4)
      guard next > 1, let following = image.number(page, 4), let part = image.bytes(page + 4, count) else { return nil }
      payload += part
      next = following
    }
    return payload
  }
}

extension StoredValue {
  /// The values of a row.
  fileprivate static func values(_ payload: [UInt8]) -> [StoredValue]? {
    payload.withUnsafeBytes { payload in
      var position = 0
      guard let headSize = payload.variable(&position), headSize <= payload.count else { return nil }
      var values: [StoredValue] = []
      var offset = headSize
      while position < headSize {
        guard let type = payload.variable(&position), type >= 0 else { return nil }
        let size = type < 12 ? [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type] : (type - 12) / 2
        guard size <= payload.count - offset else { return nil }
        values.append(StoredValue(type, UnsafeRawBufferPointer(rebasing: payload[offset..<offset + size])))
        offset += size
      }
      return offset == payload.count ? values : nil
    }
  }

  private init(_ type: Int, _ bytes: UnsafeRawBufferPointer) {
    switch type {
    case 0: self = .null
    case 8, 9: self = .integer(type - 8)
    case 7: self = .double(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    case 12...: self = .text(Array(bytes))
    default:
      // The first byte has the sign.
      let first = Int(Int8(bitPattern: bytes.first ?? 0))
      self = .integer(bytes.dropFirst().reduce(first) { $0 << 8 | Int($1) })
    }
  }
}

extension FileImage {
  fileprivate func byte(_ offset: Int) -> UInt8? {
    file.memory.indices.contains(offset) ? file.memory[offset] : nil
  }

  fileprivate func bytes(_ offset: Int, _ count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0, count <= file.memory.count - offset else { return nil }
    return Array(file.memory[offset..<offset + count])
  }

  /// A number of some bytes, the most significant first.
  func number(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= file.memory.count else { return nil }
    return file.memory[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  fileprivate func variable(_ position: inout Int) -> Int? { file.memory.variable(&position) }
}

extension UnsafeRawBufferPointer {
  /// A number of one to nine bytes, of which each says whether it is the last.
  fileprivate func variable(_ position: inout Int) -> Int? {
    var number: UInt64 = 0
    for index in 0..<9 {
      guard indices.contains(position) else { return nil }
      let byte = self[position]
      position += 1
      if index == 8 { return Int(bitPattern: UInt(number << 8 | UInt64(byte))) }
      number = number << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { break }
    }
    return Int(bitPattern: UInt(number))
  }
}
