import StoreHistory
import StoreSchema

/// What was taken up from a journal.
package struct RecoveredStore {
  package let last: Int
  /// Whether the session that wrote it came to its end in order.
  package let hadEnded: Bool
  /// What is missing at its end; nil: nothing.
  package let loss: JournalContents.Loss?
  /// Whether plugins run other code than what the file says, with a state of the same type.
  package let hasOtherCode: Bool
  /// The code of plugins that the file does not keep yet.
  package let unkept: [JournaledCode]
  /// The file as it was, where the state has another type now.
  package let kept: String?
  /// The plugins of which only the state is there: of a file that is only read.
  package let absent: [AbsentPlugin]

  /// A plugin that could not be brought back.
  package struct AbsentPlugin {
    package let name: String
    /// Why, in words that go on a sentence.
    package let reason: String

    /// One that cannot be loaded.
    package init(_ name: String, _ error: any Error) {
      self.name = name
      reason = HostError(describing: error).message
    }

    /// One that cannot take over its state.
    ///
    /// - Parameter misfits: what does not fit, a line each.
    package init(_ name: String, misfits: [String]) {
      self.name = name
      let more = misfits.count - 1
      reason = "its state does not fit its present type (\(misfits[0])\(more > 0 ? "; and \(more) more" : ""))"
    }
  }
}

extension Schema {
  /// All that keeps a module's state from being one of the type, a sentence each.
  ///
  /// - Parameter first: what was found first.
  package func allMisfits(_ json: Value, in module: String, _ first: SchemaError) -> [String] {
    let path = Path([.field(module)])
    let problems = misfits(json, at: path)
    return problems.isEmpty ? [first.under(path).message] : problems
  }

  /// All that keeps a value read from JSON from being one of the type, a sentence each.
  ///
  /// - Parameter startsNewFields: whether a field that is missing and has no default starts as it does in a new state.
  package func misfits(_ json: Value, at path: Path, startsNewFields: Bool = false) -> [String] {
    func misfits(_ schema: Schema, _ value: Value, _ step: Path.Step) -> [String] {
      schema.misfits(value, at: path.appending(step), startsNewFields: startsNewFields)
    }
    switch (kind, json) {
    case (.optional(let wrapped), let json) where json != .none:
      return wrapped.misfits(json, at: path, startsNewFields: startsNewFields)
    case (.list(let element), .list(let items)):
      return items.enumerated().flatMap { misfits(element, $1, .index($0 + 1)) }
    case (.map(key: .string, let element), .map(let entries)):
      return entries.flatMap { misfits(element, $1, .key($0)) }
    case (.record(let record), .map(let members)):
      var problems: [String] = []
      for field in record.fields {
        if let member = members[.string(field.name)] {
          if member != .none || field.isRequired { problems += misfits(field.schema, member, .field(field.name)) }
        } else if field.isRequired, !startsNewFields {
          problems.append(
            "\(path.appending(.field(field.name))) (\(field.schema.typeName)) is missing and has no default")
        }
      }
      for case (.string(let name), _) in members where record.index(of: name) == nil {
        problems.append("\(path.appending(.field(name))) is no longer declared")
      }
      return problems
    default:
      do throws(SchemaError) {
        _ = try value(fromJSON: json)
        return []
      } catch {
        return [error.under(path).message]
      }
    }
  }
}
