import CLua
import Synchronization

/// Stops the running call of a state, from any thread; does nothing once the state is gone.
public final class LuaInterrupter: Sendable {
  /// The address of the machine, 0 once it is gone.
  private let address: Mutex<UInt>

  init(_ machine: UnsafeMutablePointer<CLuaMachine>) { address = Mutex(UInt(bitPattern: machine)) }

  /// Ends the running call with a ``LuaError`` of kind `interrupted` at the next look of its count hook.
  public func interrupt() {
    address.withLock { address in
      if let machine = UnsafeMutablePointer<CLuaMachine>(bitPattern: address) { clua_interrupt(machine) }
    }
  }

  func forget() { address.withLock { $0 = 0 } }
}
