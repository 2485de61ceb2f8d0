import Synchronization

/// Looks once through all that a file held when it was opened: nothing is added to one that is not what was written.
///
/// Opening looks at the ends of the file only, so that a prompt is there at once however long the history is. The rest is
/// looked at when there is time for it, and at the latest before the first action is written, which waits for it.
final class JournalCheck: @unchecked Sendable {
  // Safe: all that changes is used under the lock, but for the flag, which is atomic.
  private let path: String
  private let numbers: ClosedRange<Int>
  private let initial: [StateSlice]
  private let state: Mutex<State>
  private let isCancelled = Atomic<Bool>(false)

  private enum State {
    /// Still to be looked at, as it was then.
    case open(FileImage)
    case done(JournalError?)
  }

  /// The largest size of a file, in bytes, through which a look takes no time to speak of: some 50 ms.
  private static let quickSize = 16 << 20
  /// True if the look takes no time to speak of.
  let isQuick: Bool

  /// - Parameters:
  ///   - image: the file as it was when it was opened. Nobody may write it until it was looked at.
  ///   - initial: the state before the first action, by which it is found out how much of a damaged file is good.
  init(_ path: String, _ numbers: ClosedRange<Int>, _ image: FileImage, initial: [StateSlice]) {
    self.path = path
    self.numbers = numbers
    self.initial = initial
    isQuick = image.file.memory.count <= Self.quickSize
    state = Mutex(.open(image))
  }

  /// The first action that is not as written, with the last good action before it; nil: none. Looks, or waits until
  /// somebody has.
  var damage: JournalError? {
    state.withLock { state in
      switch state {
      case .done(let damage): return damage
      case .open(let image):
        let damage = found(in: image)
        guard !isCancelled.load(ordering: .relaxed) else { return nil }
        state = .done(damage)
        return damage
      }
    }
  }

  /// Has a look that goes on end, as nothing is written any more.
  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  private func found(in image: FileImage) -> JournalError? {
    do throws(JournalError) {
      let reader = try image.reader(path)
      defer { reader.close() }
      var steps = 0
      let isCancelled = {
        steps += 1
        // Of a file that is looked through no more is kept than a few megabytes.
        if steps.isMultiple(of: 64) { image.letGo() }
        return self.isCancelled.load(ordering: .relaxed)
      }
      if let damage = reader.damage(in: numbers, isCancelled: isCancelled) {
        return reader.malformation().map { self.damage(damage, of: image, $0) } ?? damage
      }
      return reader.damageOfStates(for: numbers, isCancelled: isCancelled)
        ?? reader.damageOfPlaces(for: numbers, isCancelled: isCancelled)
    } catch {
      return error
    }
  }

  /// Damage of a file whose pages do not lead to all rows: others may be read behind those that they lead to.
  private func damage(_ found: JournalError, of image: FileImage, _ reason: String) -> JournalError {
    guard case .damaged(_, let last?, _) = found else { return found }
    let best = JournalArchive.best(path, image, initial, last)
    return .damaged(path: path, lastGood: max(last, (best?.good.upperBound ?? 0) - 1), reason: reason)
  }
}
