import LuaRuntime
import StoreModules
import StoreSchema

/// A middleware that runs for one element after the other (R17).
extension PluginUnit {
  /// An element that the middleware was asked about, and the result of `before`.
  struct Asked {
    let element: ElementRule.Element
    let kept: LuaValue
  }

  /// Asks the middleware about each element that an action is for.
  func ask(_ elements: [ElementRule.Element]) throws(PluginError) {
    asked = []
    for element in elements {
      var kept = LuaValue.nil
      if let function = plan.functions.before {
        kept = try run(function, "before", element.value, nil)
      }
      asked.append(Asked(element: element, kept: kept))
    }
  }

  /// Tells the middleware of each element that the action is committed: the element as it is now or, where the action took it
  /// away, as it stood before.
  func tell(_ rule: ElementRule) throws(PluginError) {
    guard let function = plan.functions.after else { return }
    defer { (ownEmission.element, asked) = (nil, []) }
    for one in asked {
      let id = one.element.id
      ownEmission.element = AddressedElement(argument: rule.argument, id: id)
      let value = rule.value(of: id, in: view.pointee) ?? one.element.value
      _ = try run(function, "after", value, one.kept)
    }
  }

  /// Runs one of the functions for an element.
  ///
  /// - Parameter kept: the result of `before`; nil: this is `before`.
  private func run(
    _ function: LuaFunction, _ phase: String, _ element: Value, _ kept: LuaValue?
  ) throws(PluginError) -> LuaValue {
    let (calls, wasOpen) = (machine.calls, machine.calls.action.isOpen)
    calls.action.isOpen = true
    calls.running.isContextOpen = true
    defer {
      calls.running.isContextOpen = false
      calls.action.isOpen = wasOpen
    }
    return try machine.run(view.pointee, place(phase), signature: .middleware) { () throws(LuaError) in
      try machine.lua.call(
        function,
        firstResultWith: { writer in
          writer.append(ActionFacade.actionObject)
          if let context { writer.append(context) } else { writer.appendNil() }
          if let kept { writer.append(kept) }
          LuaBridge.write(element, to: &writer)
        })
    }
  }
}
