/// The settings of a session that no option of the program gives.
struct SessionSettings {
  /// Where settings were changed: `FILE:LINE`, or the flag that did it.
  var origins: [String: String] = [:]
  /// Whether errors in Lua show all of their stack.
  var showsTraceback = false
  /// Whether the phases of actions are told.
  var isTracing = false
  /// The file that spans are written into; nil: none is.
  var chromeTrace: ChromeTrace?
  /// Whether the session is that of a plugin's test, in which every call of a reducer is looked at.
  var isTest = false
}
