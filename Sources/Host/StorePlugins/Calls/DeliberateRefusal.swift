import LuaRuntime

/// The error that `refuse("reason")` raises: the plugin works, and says no. Like any error, a refusal undoes the
/// action, but it is no fault of the plugin's and does not count as one.
struct DeliberateRefusal: Error, CustomStringConvertible {
  let reason: String
  var description: String { reason }

  /// True while a refusable call runs.
  final class Occasion {
    var isGiven: () -> Bool = { false }
  }

  /// Makes the function that plugins find as `refuse`.
  static func makeFunction(in lua: LuaState, _ occasion: Occasion) throws(LuaError) -> LuaFunction {
    try lua.makeFunction { call in
      guard occasion.isGiven() else {
        throw LuaFailure(
          "refuse is only possible in reducers and commands (an interceptor drops an action by not calling next)")
      }
      guard case .string = call.argument(0).kind else {
        throw LuaFailure("refuse needs a reason: refuse(\"there is no such account\")")
      }
      throw DeliberateRefusal(reason: try call.describe(0))
    }
  }
}
