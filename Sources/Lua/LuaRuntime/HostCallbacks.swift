import CLua

/// The functions that C calls. Each finds its state by the context, hands over plain structs and turns a thrown error
/// into a status. No Lua error ever passes through Swift.
enum HostCallbacks {
  static var all: CLuaCallbacks {
    CLuaCallbacks(
      get: { context, object, key in
        withState(context) { $0.get(object, key) }
      },
      set: { context, object, key, value in
        withState(context) { $0.set(object, key, value) }
      },
      insert: { context, object, position, value in
        withState(context) { state in
          state.change { handler in
            try handler.insert(
              LuaArgument(value.pointee, LuaLinkPointer(state.link)), into: LuaObject(object), at: Int(position))
          }
        }
      },
      remove: { context, object, position in
        withState(context) { state in
          state.change { try $0.remove(from: LuaObject(object), at: Int(position)) }
        }
      },
      next: { context, object, key, isWalk in
        withState(context) { $0.next(object, key, isWalk) }
      },
      length: { context, object in
        withState(context) { state in
          state.answer { handler, result in result.append(try handler.length(LuaObject(object))) }
        }
      },
      describe: { context, object in
        withState(context) { state in
          state.answer { handler, result in result.append(handler.describe(LuaObject(object))) }
        }
      },
      invoke: { context, function, count in
        withState(context) { $0.invoke(Int(function), count) }
      },
      open: { context, object in
        withState(context) { state in
          state.borrowedBox?._withUnsafeGuaranteedRef { $0.handler.openWindow(LuaObject(object)) }
        }
      },
      leave: { context in withState(context) { $0.onLeaving?() } })
  }
}

@inline(__always)
private func withState<Result>(_ context: UnsafeMutableRawPointer, _ body: (LuaState) -> Result) -> Result {
  // The state is alive: it is the one that called into Lua.
  Unmanaged<LuaState>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
}

extension LuaState {
  @inline(__always)
  fileprivate func get(_ object: CLuaObject, _ key: UnsafePointer<CLuaValue>) -> CLuaAnswer {
    guard let borrowedBox else { return failWithoutHandler() }
    var result = LuaResult(items)
    do {
      try borrowedBox._withUnsafeGuaranteedRef {
        try $0.handler.get(
          LuaObject(object), key: LuaArgument(key.pointee, LuaLinkPointer(link)), into: &result)
      }
      try link.checkLost()
      return .done
    } catch {
      return fail(error)
    }
  }

  @inline(__always)
  fileprivate func set(
    _ object: CLuaObject, _ key: UnsafePointer<CLuaValue>, _ value: UnsafePointer<CLuaValue>
  ) -> CLuaAnswer {
    guard let borrowedBox else { return failWithoutHandler() }
    do {
      try borrowedBox._withUnsafeGuaranteedRef {
        try $0.handler.set(
          LuaObject(object), key: LuaArgument(key.pointee, LuaLinkPointer(link)),
          to: LuaArgument(value.pointee, LuaLinkPointer(link)))
      }
      try link.checkLost()
      return .done
    } catch {
      return fail(error)
    }
  }

  /// Has the handler change a list, where it does.
  fileprivate func change(_ body: (any LuaObjectHandler) throws -> Bool) -> CLuaAnswer {
    guard let borrowedBox else { return failWithoutHandler() }
    do {
      let isDone = try borrowedBox._withUnsafeGuaranteedRef { try body($0.handler) }
      try link.checkLost()
      return isDone ? .done : .end
    } catch {
      return fail(error)
    }
  }

  fileprivate func next(_ object: CLuaObject, _ key: UnsafePointer<CLuaValue>?, _ isWalk: Bool) -> CLuaAnswer {
    guard let borrowedBox else { return failWithoutHandler() }
    var result = LuaResult(items)
    do {
      let previous = key.map { LuaArgument($0.pointee, LuaLinkPointer(link)) }
      let hasEntry = try borrowedBox._withUnsafeGuaranteedRef {
        try $0.handler.next(LuaObject(object), after: previous, isWalk: isWalk, into: &result)
      }
      return hasEntry ? .done : .end
    } catch {
      return fail(error)
    }
  }

  fileprivate func answer(_ body: (any LuaObjectHandler, inout LuaResult) throws -> Void) -> CLuaAnswer {
    guard let borrowedBox else { return failWithoutHandler() }
    var result = LuaResult(items)
    do {
      try borrowedBox._withUnsafeGuaranteedRef { try body($0.handler, &result) }
      return .done
    } catch {
      return fail(error)
    }
  }

  fileprivate func invoke(_ number: Int, _ count: Int32) -> CLuaAnswer {
    let function = functions[number]
    // A loop in Lua may call many times before the host calls Lua again.
    link.dropReleased()
    var call = LuaCall(self, count: count)
    do {
      try function._withUnsafeGuaranteedRef { try $0.body(&call) }
      try link.checkLost()
      return call.yields ? .yield : .done
    } catch {
      return fail(error)
    }
  }

  private func failWithoutHandler() -> CLuaAnswer {
    fail(LuaFailure("the host does not answer for its objects"))
  }

  private func fail(_ error: any Error) -> CLuaAnswer {
    // An error that follows from a lost value says nothing.
    let error = link.takeLost() ?? error
    lastFailure = error
    var message = (error as? any MessageForLua)?.message ?? String(describing: error)
    if error is LuaFailure || error is LuaError { message = chunkNames.inLua(message: message) }
    // The message of an error in Lua has its place.
    message.withBytes { clua_fail(machine, $0, $1, !(error is LuaError)) }
    return .failed
  }
}
