import Platform
import StorePlugins

extension Session {
  /// Runs the file with statements that a prompt starts with. An error is reported and the rest goes on; so it is for a
  /// file that cannot be read. Plugins are loaded without a word; aliases may be made.
  public func run(initFile file: String) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try Files.read(file, until: interrupts.descriptor)
    } catch {
      _ = writeError(error)
      return
    }
    let (outerOptions, outerOrigin, outerTally) = (options, running.origin, outcome.tally)
    options.keepsGoing = true
    options.isQuiet = true
    running.origin = StatementOrigin(
      file: file, kind: .batch, allowsAliases: true, isStart: true, isAttended: true)
    runAll(bytes)
    options.keepsGoing = outerOptions.keepsGoing
    options.isQuiet = outerOptions.isQuiet
    running.origin = outerOrigin
    outcome.tally = outerTally
  }

  /// The status to leave with after a prompt: the one that `quit` asked for.
  public var status: Int32 { outcome.quitStatus ?? 0 }

  /// From now on statements are checked, all of them, and none is run.
  public func checkOnly() {
    running.isChecking = true
    options.keepsGoing = true
  }
}
