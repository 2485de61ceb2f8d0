/// The settings of a session that no option of the program gives.
struct SessionSettings {
  /// The places where settings were changed: `FILE:LINE`, or the flag that did it.
  var origins: [String: String] = [:]
  /// True where errors in Lua show all of their stack.
  var showsTraceback = false
  /// True where the prompt shows what may come next.
  var showsHints = true
  /// True where the prompt shows the line in colours.
  var highlights = true
  /// True where the phases of actions are told.
  var isTracing = false
  /// The file that spans are written into; nil: none is.
  var chromeTrace: ChromeTrace?
  /// True in a plugin's test, where every call of a reducer is looked at.
  var isTest = false
}
