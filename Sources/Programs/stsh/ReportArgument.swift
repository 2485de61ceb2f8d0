import ArgumentParser
import StoreShell

/// The two words of `--report FORM FILE`, which reach the parser as one.
enum ReportArgument {
  private static let separator = ":"

  /// The command line with both words in one; what follows a script is the script's.
  ///
  /// - Parameter arguments: the command line, without the program's name.
  static func joined(_ arguments: [String]) -> [String] {
    guard let index = arguments.firstIndex(of: "--report"), index + 2 < arguments.count,
      // A flag is no file: that was forgotten.
      !arguments[index + 2].hasPrefix("-"),
      Stsh.endingOptions(arguments).firstIndex(of: "--").map({ index < $0 }) ?? true
    else { return arguments }
    let (form, file) = (arguments[index + 1], arguments[index + 2])
    return arguments[...index] + [form + separator + file] + arguments[(index + 3)...]
  }

  /// The report that the words ask for.
  ///
  /// - Throws: `ValidationError` where they ask for none.
  static func report(_ words: String?) throws -> RunReport? {
    guard let words else { return nil }
    let parts = words.split(separator: separator, maxSplits: 1).map(String.init)
    guard parts.count == 2, let report = RunReport(parts[0], path: parts[1]) else {
      let forms = RunReport.forms
      let isForm = parts.count == 1 && forms.contains(parts[0])
      throw ValidationError(
        "--report takes \(forms.joined(separator: " or ")) and a file\(isForm ? "; none follows" : ", not") '\(parts.first ?? "")'"
      )
    }
    return report
  }
}
