import Platform
import StoreHistory
import StorePlugins

extension HostError {
  /// The error that stands for what is wrong with a journal.
  ///
  /// - Parameter program: what the program is called that hints tell to run; nil: no hint tells to run it.
  package init(_ error: JournalError, program: String?) {
    let readOnly = program.map { "to read and export its undamaged part: \($0) --store \(error.path) --read-only" }
    switch error {
    case .inUse(let path, _):
      self.init(
        code: .storeInUse, message: error.description,
        hint: program.map { "to look at it meanwhile: \($0) --store \(path) --read-only" })
    case .notAJournal: self.init(code: .storeUnreadable, message: error.description)
    case .unknownFormat(let path, _, let writer):
      self.init(
        code: .storeUnreadable, message: error.description,
        hint: program.map { program in
          let export = "\(program) --store \(path) --read-only -c 'export journal actions.stsh --as stsh'"
          return "\(writer.isEmpty ? "the version that wrote it" : writer) exports it: \(export); "
            + "then \(program) --store NEW actions.stsh"
        })
    case .damaged(_, let last, _):
      self.init(code: .storeDamaged, message: error.description, hint: last == nil ? nil : readOnly)
    case .cannotOpen(let path, _) where Files.isReadable(path):
      self.init(code: .storeFailed, message: error.description, hint: readOnly)
    case .cannotOpen: self.init(code: .storeUnreadable, message: error.description, status: 2)
    case .noSuchFile: self.init(code: .noSuchFile, message: error.description, status: 2)
    case .cannotWrite: self.init(code: .storeFailed, message: error.description)
    case .cannotRebase:
      self.init(
        code: .storeFailed, message: error.description, hint: "there must be room for a copy; the file is as it was")
    }
  }
}
