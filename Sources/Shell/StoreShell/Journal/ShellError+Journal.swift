import StoreHistory
import StorePlugins

extension ShellError {
  /// The error that stands for what is wrong with a journal.
  init(_ error: JournalError) {
    let readOnly = "to look at it and to export what is good: stsh --store \(error.path) --read-only"
    switch error {
    case .inUse(let path, _):
      self.init(
        code: "store-in-use", message: error.description,
        hint: "to look at it meanwhile: stsh --store \(path) --read-only")
    case .notAJournal: self.init(code: "store-unreadable", message: error.description)
    case .unknownFormat:
      self.init(code: "store-unreadable", message: error.description, hint: "a later stsh can open it")
    case .damaged(_, let last, _):
      self.init(code: "store-damaged", message: error.description, hint: last == nil ? nil : readOnly)
    case .cannotOpen(let path, _) where Files.isReadable(path):
      self.init(code: "store-failed", message: error.description, hint: readOnly)
    case .cannotOpen(let path, let reason) where Files.exists(path) || !reason.hasSuffix(FileError.missing):
      self.init(code: "store-unreadable", message: error.description, status: 2)
    case .cannotOpen: self.init(code: "no-such-file", message: error.description, status: 2)
    case .cannotWrite: self.init(code: "store-failed", message: error.description)
    case .cannotRebase:
      self.init(
        code: "store-failed", message: error.description, hint: "it takes room for a copy; the file is as it was")
    }
  }
}
