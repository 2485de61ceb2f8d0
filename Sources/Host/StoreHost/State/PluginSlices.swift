import StoreCore
import StorePlugins
import StoreSchema
import Synchronization

/// The slices of plugins behind one reference.
///
/// While an action is processed, those who look at the state before it have an object of this kind that stands for the slices as they
/// were: it *borrows* those of the store. So nobody else refers to them, reducers write them in place, and say what they wrote. Whoever
/// looks at the object has that taken back in a copy. At the end of the action the object keeps the slices as they were if somebody
/// still has it, and else is used again.
package final class PluginSlices: @unchecked Sendable {
  // Safe: the slices are written by one who alone refers to the object. Of one that borrows, all that changes is changed under the
  // lock, and what it borrows from does not go without that.

  package static let none = PluginSlices([])
  private static let lock = Lock(())

  /// The slices of an object that does not borrow them.
  @exclusivity(unchecked) var written: [PluginSlice]
  /// What was written to the slices while they are lent, by their positions.
  @exclusivity(unchecked) private var edits: [(index: Int, edit: SliceEdit)] = []
  /// Who borrows the slices.
  @exclusivity(unchecked) private var borrower: Unmanaged<PluginSlices>?
  /// Whose slices these are as they were when they were lent.
  @exclusivity(unchecked) private var lender: Unmanaged<PluginSlices>?
  private let borrows = Atomic<Bool>(false)

  package init(_ slices: [PluginSlice]) { written = slices }

  deinit {
    guard borrower != nil || lender != nil else { return }
    Self.lock.withLock { _ in
      borrower?._withUnsafeGuaranteedRef { $0.own(those(before: written, edits)) }
      leaveLender()
    }
  }

  var all: [PluginSlice] {
    if borrows.load(ordering: .acquiring) { takeOver() }
    return written
  }

  /// True if the slices are lent.
  var isLent: Bool { borrower != nil }

  /// True if the object neither lends nor borrows.
  var isPlain: Bool { borrower == nil && !borrows.load(ordering: .acquiring) }

  /// Whether a look at them tells that the slices of another object are the same.
  func isSame(as other: PluginSlices) -> Bool {
    if self === other { return true }
    if isLender(of: other) { return edits.isEmpty }
    return other.isLender(of: self) ? other.edits.isEmpty : all.isSameArray(as: other.all)
  }

  // MARK: Lending

  func lend(to former: PluginSlices) {
    former.lender = .passUnretained(self)
    former.borrows.store(true, ordering: .releasing)
    borrower = .passUnretained(former)
  }

  /// Ends the loan, where it lasts.
  ///
  /// - Parameters:
  ///   - present: the slices of the store.
  ///   - isKept: true if somebody still has this object.
  func endLoan(by present: PluginSlices, isKept: Bool) {
    if !isKept, present.isLender(of: self) {
      // Nobody else can look at either.
      (present.borrower, lender) = (nil, nil)
      // One by one: nearly always there is one, and the way for many takes longer.
      while present.edits.popLast() != nil {}
      borrows.store(false, ordering: .relaxed)
    } else {
      takeOver()
    }
    if !isKept, !written.isEmpty { written = [] }
  }

  private func isLender(of other: PluginSlices) -> Bool {
    other.lender?.toOpaque() == Unmanaged.passUnretained(self).toOpaque() && other.borrows.load(ordering: .acquiring)
  }

  /// Keeps the slices as they were, and borrows them no longer.
  private func takeOver() {
    Self.lock.withLock { _ in
      lender?._withUnsafeGuaranteedRef { lender in own(those(before: lender.written, lender.edits)) }
    }
  }

  /// Has slices of its own. Under the lock.
  private func own(_ slices: [PluginSlice]) {
    written = slices
    leaveLender()
    borrows.store(false, ordering: .releasing)
  }

  /// Borrows no longer. Under the lock.
  private func leaveLender() {
    lender?._withUnsafeGuaranteedRef { lender in
      lender.borrower = nil
      lender.edits.removeAll()
    }
    lender = nil
  }

  // MARK: Writing

  /// Begins what is written to a slice next.
  ///
  /// - Returns: true if nothing was written to it yet, so that the writer has to say what it writes.
  func beginEdit(of index: Int) -> Bool {
    guard let known = edits.firstIndex(where: { $0.index == index }) else { return true }
    if case .former = edits[known].edit { return false }
    var slice = written[index]
    slice.takeBack(edits[known].edit)
    edits[known].edit = .former(slice.value)
    return false
  }

  func note(_ edit: consuming SliceEdit, at index: Int) {
    guard let place = edits.firstIndex(where: { $0.index > index }) else { return edits.append((index, edit)) }
    edits.insert((index, edit), at: place)
  }

  /// What was written since the slices were lent to an object, where that is one edit of scalars alone; nil: it is something else. The
  /// plugin has it until its next action.
  func onlyScalars(since former: PluginSlices) -> Unmanaged<PlainEdit>? {
    guard edits.count == 1, isLender(of: former), case .scalars(let edit) = edits[0].edit else { return nil }
    return .passUnretained(edit)
  }

  /// True if what was written since the slices were lent tells that a sequence of a slice went on, or that nothing of the slice was
  /// written. The state before is not made for that.
  func isAhead(_ path: Path, ofSlice name: String, at usual: Int, since former: PluginSlices) -> Bool {
    guard isLender(of: former), usual < written.count, written[usual].name == name else { return false }
    for index in edits.indices where edits[index].index == usual {
      switch edits[index].edit {
      case .former: return false
      case .scalars(let edit): return edit.raises(path)
      case .changes(let changes):
        return changes.contains {
          if case .replace(.int(let old), .int(let new)) = $0.kind { new > old && $0.path == path } else { false }
        }
      }
    }
    return true
  }

  /// Appends what was written since the slices were lent.
  ///
  /// - Returns: false where they are not lent to that object.
  func appendEdits(since former: PluginSlices, by finder: inout DifferenceFinder, _ changes: inout [Change]) -> Bool {
    guard isLender(of: former) else { return false }
    for (index, edit) in edits {
      switch edit {
      case .changes(let found): if changes.isEmpty { changes = found } else { changes += found }
      case .scalars(let edit): edit.append(to: &changes)
      case .former(let value):
        let slice = written[index]
        withUnsafePointer(to: value) { before in
          withUnsafePointer(to: slice.value) { after in
            finder.append(
              from: UnsafeRawPointer(before), to: UnsafeRawPointer(after), of: slice.schema, in: slice.name,
              to: &changes)
          }
        }
      }
    }
    return true
  }

  /// Slices before what was written to them.
  private func those(before slices: [PluginSlice], _ edits: [(index: Int, edit: SliceEdit)]) -> [PluginSlice] {
    var slices = slices
    for (index, edit) in edits { slices[index].takeBack(edit) }
    return slices
  }
}

/// Keeps the state before each action of a store: its slices of plugins are the store's own until somebody asks for them.
final class LentSlices: FormerStates {
  // One for all actions, and another one where somebody keeps it.
  @exclusivity(unchecked) private var former = PluginSlices([])
  @exclusivity(unchecked) private var isLent = false

  func begin(_ state: inout HostState) -> HostState {
    guard let before = state.lend(to: former) else { return state }
    isLent = true
    return before
  }

  func end(_ state: inout HostState) {
    guard isLent else { return }
    isLent = false
    state.endLoan(to: &former)
  }
}
