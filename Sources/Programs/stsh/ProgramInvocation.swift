/// The request that a command line makes: a property for each option.
struct ProgramInvocation: Equatable {
  var command: [String] = []
  var interactive = false
  var keepGoing = false
  var check = false
  var allOrNothing = false
  var timeout: String?
  var transcript: String?
  var report: String?
  var json = false
  var quiet = false
  var format = "auto"
  var color = "auto"
  var clock = "real"
  var plugin: [String] = []
  var grant: [String] = []
  var replay: String?
  var noPlugins = false
  var noExec = false
  var store: String?
  var name: String?
  var credentials: String?
  var cache: String?
  var durability = "normal"
  var recover: Int?
  var session: Int?
  var readOnly = false
  var to: Int?
  var noInit = false
  var unsafeLua = false
  var who: String?
  var listen: String?
  var allow: [String] = []
  var group: String?
  var tokenFile: String?
  var attach: String?
  var serves = false
  var script: [String] = []

  static let bare = ProgramInvocation()
}

extension ProgramInvocation {
  /// Reads a command line that holds nothing but commands behind `-c`, or a script and its arguments. Nil where it says
  /// more: the parser reads that.
  ///
  /// The parser looks at every option that there is, which takes longer than all else that is done at the start.
  ///
  /// - Parameter arguments: the command line, without the program's name.
  init?(plain arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      if argument == "-c", let text = rest.next() {
        command.append(text)
      } else if argument.hasPrefix("-") {
        return nil
      } else {
        // The words that follow a script are the script's.
        script = [argument]
        while let argument = rest.next() { script.append(argument) }
      }
    }
  }
}
