import Platform

/// The write-ahead log beside an SQLite file, as it lies there. Its form follows https://www.sqlite.org/walformat.html.
///
/// SQLite takes a log as far as it is sound and says nothing of the rest. Without this look, actions that were
/// acknowledged would be gone without a word. SQLite also reads a log only beside a file that it locks, and wipes out
/// the traces of the end.
struct WriteAheadLog {
  /// The position of each page's content in the log, in bytes, as of the last commit.
  private(set) var pages: [Int: Int] = [:]
  /// The number of pages in the file after the last commit; 0: the log holds none.
  private(set) var pageCount = 0
  /// The size of a page.
  private(set) var pageSize = 0
  /// The bytes of the log.
  let bytes: MappedFile
  /// The condition of the log.
  private(set) var condition = Condition.whole

  /// The condition of a log.
  enum Condition {
    /// As a process leaves it, however that ended.
    case whole
    /// Nothing but zeros.
    case blank
    /// The beginning is not a log's, so that nothing of it can be read.
    case unreadable
    /// Behind the last commit that can be read stands another one of the same writing.
    case broken
    /// The log held more than it does.
    case cut
    /// The log is not the one that was written beside the file.
    case foreign
  }

  private static let headerSize = 32
  private static let frameHeaderSize = 24
  /// The end of the salts in a frame's header.
  private static let saltsEnd = 16

  /// Looks at the log beside a file; nil: there is none, or it is empty.
  init?(beside path: String) {
    guard let bytes = MappedFile("\(path)-wal") else { return nil }
    self.bytes = bytes
    guard readFrames() else {
      condition = bytes.memory.allSatisfy { $0 == 0 } ? .blank : .unreadable
      return
    }
    if hasMore {
      condition = .broken
    } else if let shared = SharedIndex(beside: path), shared.frames > 0 {
      isHeldAgainstIndex = true
      if shared.salts != salts { condition = .foreign } else if shared.frames > frames { condition = .cut }
    }
  }

  /// The number of frames up to the last commit.
  private var frames = 0
  /// True if another commit of the same writing stands behind them.
  private var hasMore = false
  /// True if its length was compared with the index that the processes shared while they had it open.
  private(set) var isHeldAgainstIndex = false
  /// True if it ends within a frame of the same writing, or in zeros in place of its rest or of the next frame.
  private(set) var endsWithinFrame = false
  private var salts: UInt64 { bytes.memory.loadUnaligned(fromByteOffset: 16, as: UInt64.self) }

  private mutating func readFrames() -> Bool {
    let memory = bytes.memory
    guard memory.count >= Self.headerSize else { return false }
    let magic = memory.bigEndian(0)
    guard magic & ~1 == 0x377F_0682, memory.bigEndian(4) == 3_007_000 else { return false }
    pageSize = Int(memory.bigEndian(8))
    guard pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else { return false }
    var sum = LogChecksum(isBigEndian: magic & 1 == 1)
    sum.add(memory[0..<24])
    guard sum.matches(memory.bigEndian(24), memory.bigEndian(28)) else { return false }

    let size = Self.frameHeaderSize + pageSize
    var uncommitted: [Int: Int] = [:]
    var offset = Self.headerSize
    var count = 0
    while offset + size <= memory.count {
      guard isOfThisWriting(offset) else { break }
      sum.add(memory[offset..<offset + 8])
      sum.add(memory[offset + Self.frameHeaderSize..<offset + size])
      guard sum.matches(memory.bigEndian(offset + 16), memory.bigEndian(offset + 20)) else { break }
      count += 1
      uncommitted[Int(memory.bigEndian(offset))] = offset + Self.frameHeaderSize
      offset += size
      let total = Int(memory.bigEndian(offset - size + 4))
      if total > 0 {
        pages.merge(uncommitted) { $1 }
        uncommitted = [:]
        (frames, pageCount) = (count, total)
      }
    }
    endsWithinFrame = endsWithinFrame(at: offset)
    // After a loss of bytes, frames do not stand where they were written.
    hasMore = hasCommit(from: offset + Self.saltsEnd)
    return true
  }

  private func endsWithinFrame(at offset: Int) -> Bool {
    let rest = bytes.memory[offset...]
    guard rest.count >= Self.saltsEnd else { return false }
    guard isOfThisWriting(offset) else { return rest.prefix(Self.frameHeaderSize).allSatisfy { $0 == 0 } }
    return rest.count < Self.frameHeaderSize + pageSize || rest.suffix(Self.frameHeaderSize).allSatisfy { $0 == 0 }
  }

  /// True if a whole frame that ends a transaction stands anywhere, its salts from an offset on. Frames that end none
  /// may be the remains of a failed transaction, such as on a full disk. The next transaction was written over the
  /// first of them.
  private func hasCommit(from offset: Int) -> Bool {
    let (memory, salts) = (bytes.memory, salts)
    var offset = offset
    while offset + Self.saltsEnd + pageSize <= memory.count {
      if memory.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == salts, memory.bigEndian(offset - 4) > 0 {
        return true
      }
      offset += 1
    }
    return false
  }

  /// True if the frame there was written since the log was last begun anew, by its salts.
  private func isOfThisWriting(_ offset: Int) -> Bool {
    bytes.memory.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self) == salts
  }
}

/// The index of a log that the processes share while they have the file open. The index outlives them, and tells after
/// a kill how much the log held.
private struct SharedIndex {
  /// The number of frames in the log.
  let frames: Int
  /// The salts of its frames, as they stand there.
  let salts: UInt64

  init?(beside path: String) {
    guard let file = MappedFile("\(path)-shm") else { return nil }
    let memory = file.memory
    // Two copies, so that one who reads while another writes can tell.
    guard memory.count >= 96, memory[0..<48].elementsEqual(memory[48..<96]),
      memory.load(as: UInt32.self) == 3_007_000, memory[12] == 1
    else { return nil }
    frames = Int(memory.load(fromByteOffset: 16, as: UInt32.self))
    salts = memory.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
  }
}

/// The checksum of a write-ahead log, which runs on from frame to frame.
private struct LogChecksum {
  let isBigEndian: Bool
  private var sum: (UInt32, UInt32) = (0, 0)

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
    let words = UnsafeRawBufferPointer(rebasing: bytes)
    var offset = 0
    while offset + 8 <= words.count {
      let first = words.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let second = words.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      sum.0 &+= (isBigEndian ? first.bigEndian : first.littleEndian) &+ sum.1
      sum.1 &+= (isBigEndian ? second.bigEndian : second.littleEndian) &+ sum.0
      offset += 8
    }
  }

  func matches(_ first: UInt32, _ second: UInt32) -> Bool { sum == (first, second) }
}

extension UnsafeRawBufferPointer {
  /// A number of four bytes, the most significant first.
  func bigEndian(_ offset: Int) -> UInt32 { loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian }
}
