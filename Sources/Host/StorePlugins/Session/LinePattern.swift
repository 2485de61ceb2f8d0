import LuaRuntime
import StoreSchema

/// A Lua pattern whose captures have names, `^(?<client>%S+) (?<rest>.*)$`, to take lines apart.
public final class LinePattern {
  /// The names of its parts, in order.
  public let names: [String]
  private let lua: LuaState
  private let match: LuaFunction

  /// Why a text is no such pattern.
  public struct Fault: Error {
    /// The sentence.
    public let message: String

    /// Says it.
    public init(message: String) { self.message = message }
  }

  /// Reads a pattern.
  public init(_ text: String) throws(Fault) {
    var names: [String] = []
    let pattern = try Self.plain(text, &names)
    guard !names.isEmpty else {
      throw Fault(message: "the pattern has no named part; write (?<name>%S+)")
    }
    guard names.count < 32 else { throw Fault(message: "a pattern has at most 31 parts") }
    do throws(LuaError) {
      let lua = try LuaState(limits: LuaState.Limits(instructions: 1_000_000, memory: 64 << 20), sandbox: .session)
      let chunk = try lua.load(
        "local p = ... return function(line) return string.match(line, p) end", chunkName: "match")
      guard case .function(let match)? = try lua.call(chunk, [.string(pattern)]).first else {
        throw LuaError(kind: .runtime, message: "no function")
      }
      // A pattern that is none says so at its first use.
      _ = try lua.call(match, [.string("")])
      (self.lua, self.match, self.names) = (lua, match, names)
    } catch {
      throw Fault(message: error.message)
    }
  }

  /// The parts of a line, in the order of their names; nil where it does not match.
  ///
  /// - Throws: ``Fault`` where the pattern takes too long.
  public func parts(of line: ArraySlice<UInt8>) throws(Fault) -> [[UInt8]]? {
    do throws(LuaError) {
      let found = try lua.call(match, arguments: { $0.append(String(decoding: line, as: UTF8.self)) })
      guard case .string? = found.first else { return nil }
      return found.map { if case .string(let text) = $0 { Array(text.utf8) } else { [] } }
    } catch {
      throw Fault(message: error.message)
    }
  }

  /// The pattern without names, as Lua reads it.
  private static func plain(_ text: String, _ names: inout [String]) throws(Fault) -> String {
    let characters = Array(text)
    var plain = ""
    var position = 0
    var isInSet = false
    var open = 0
    while position < characters.count {
      let character = characters[position]
      plain.append(character)
      position += 1
      switch character {
      case "%":
        guard position < characters.count else {
          throw Fault(message: "the pattern ends in %, which needs a character after it; write %% for a % of the text")
        }
        // %b takes the two characters between which it matches.
        let count = characters[position] == "b" ? min(3, characters.count - position) : 1
        plain.append(contentsOf: characters[position..<position + count])
        position += count
      case "[" where !isInSet:
        isInSet = true
        // A ] that stands first is one of the set.
        for first in ["^", "]"] as [Character] where position < characters.count && characters[position] == first {
          plain.append(first)
          position += 1
        }
      case "]" where isInSet: isInSet = false
      case "(" where !isInSet:
        let rest = characters[position...]
        guard rest.starts(with: "?<"), let end = rest.firstIndex(of: ">") else {
          throw Fault(message: "each ( of the pattern needs a name: (?<name>…); write %( for a ( of the text")
        }
        let name = String(characters[position + 2..<end])
        guard name.isName else { throw Fault(message: "\(ScalarText.quoted(name)) is not a name for a part") }
        guard !names.contains(name) else { throw Fault(message: "the pattern has the part '\(name)' twice") }
        names.append(name)
        position = end + 1
        open += 1
      case ")" where !isInSet:
        guard open > 0 else { throw Fault(message: "the pattern has a ) without a (; write %) for a ) of the text") }
        open -= 1
      default: break
      }
    }
    // Lua would tell of it only where a line comes so far.
    guard !isInSet else { throw Fault(message: "the pattern has a [ without a ]; write %[ for a [ of the text") }
    guard open == 0 else { throw Fault(message: "the pattern has a ( without a )") }
    return plain
  }
}
