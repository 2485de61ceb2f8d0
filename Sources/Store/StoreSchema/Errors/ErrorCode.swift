/// The stable words under which errors are reported and logged: `help CODE` explains each.
public enum ErrorCode: String, CaseIterable, Hashable, Sendable {
  /// The expression of an assert is false or nil.
  case assertFailed = "assert-failed"
  /// A run of statements could not be taken back, since an action of another stands on it.
  case atomicKept = "atomic-kept"
  /// An interceptor dispatched while the chain was being built, or called next twice or too late.
  case badInterceptor = "bad-interceptor"
  /// A line of an ingested file is not JSON or does not fit the action.
  case badRecord = "bad-record"
  /// A line of a recording cannot be read, or does not fit this program.
  case badRecording = "bad-recording"
  /// A line that a door was sent is no request.
  case badRequest = "bad-request"
  /// A file with a state is not JSON.
  case badState = "bad-state"
  /// The program that owns the store has closed it.
  case closed
  /// The command line of the program cannot be read.
  case commandLine = "command-line"
  /// The connection to a store elsewhere was lost.
  case connectionLost = "connection-lost"
  /// The log of a shared store cannot be reached: nothing was done.
  case cutOff = "cut-off"
  /// Another process listens at the place of a door.
  case doorInUse = "door-in-use"
  /// Two middlewares have the same name.
  case duplicateUnit = "duplicate-unit"
  /// The system refused something; the message says what.
  case failed
  /// The state in a file does not fit the store.
  case `import`
  /// The program itself is at fault.
  case `internal`
  /// Ctrl-C was pressed, or a signal came, while the command ran.
  case interrupted
  /// A statement has more than 8 MiB.
  case lineTooLong = "line-too-long"
  /// Lua raised an error.
  case luaError = "lua-error"
  /// The text is not Lua.
  case luaSyntax = "lua-syntax"
  /// Something that the command or action needs is not there.
  case missingArgument = "missing-argument"
  /// The name means something else already: a command, a module, or something of Lua.
  case nameTaken = "name-taken"
  /// A bisect found no action after which its expression holds.
  case neverHeld = "never-held"
  /// There is no such file, or no folder that it could be made in.
  case noSuchFile = "no-such-file"
  /// A flag of the session forbids this, such as --no-exec, or the door that it came in by. Or it is for the prompt only, as alias is, or the test of a
  /// plugin does without it.
  case notAllowed = "not-allowed"
  /// Nobody listens at the place of a door, or its token is another one.
  case noDoor = "no-door"
  /// The shared store cannot be opened: no server, another stream, or no right to it.
  case noSharedStore = "no-shared-store"
  /// This node no longer follows its shared store, for the reason that it gives.
  case nodeStopped = "node-stopped"
  /// An earlier state is shown, or one that never was.
  case notAtHead = "not-at-head"
  /// A recording is put in place of a session's history only where the session has none of its own.
  case notFresh = "not-fresh"
  /// The point is older than what the history keeps; set journal.limit says how much that is.
  case notKept = "not-kept"
  /// Unskip takes an action that skip left out.
  case notSkipped = "not-skipped"
  /// --recover found no session at the prompt that ended unexpectedly.
  case nothingToRecover = "nothing-to-recover"
  /// No undo came since you last dispatched something, or not that many.
  case nothingToRedo = "nothing-to-redo"
  /// You have dispatched nothing that could be taken back, or not that much.
  case nothingToUndo = "nothing-to-undo"
  /// A number is outside the bounds that its type declares, or a result does not fit its type.
  case outOfRange = "out-of-range"
  /// The log of a shared store did not answer: the action may have happened.
  case outcomeUnknown = "outcome-unknown"
  /// The plugin is written for another version of the plugin API than this shell serves.
  case pluginApi = "plugin-api"
  /// A plugin used more instructions, time, tasks or actions a second than it may; a reducer changed nothing.
  case pluginBudget = "plugin-budget"
  /// Plugin check found faults, which it lists.
  case pluginCheck = "plugin-check"
  /// The plugin asks for permissions that nobody granted.
  case pluginGrant = "plugin-grant"
  /// A reducer or projection keeps state of its own, in a local outside it, or depends on one that other code changes.
  case pluginImpure = "plugin-impure"
  /// The plugin's files cannot be read, or its Lua cannot be run.
  case pluginLoad = "plugin-load"
  /// A plugin needed more memory than its limit; a reducer changed nothing.
  case pluginMemory = "plugin-memory"
  /// The plugin of the action is off or not loaded any more, so nothing processed it.
  case pluginOff = "plugin-off"
  /// A plugin's function raised an error.
  case pluginRuntime = "plugin-runtime"
  /// A plugin's state, action or name does not fit its declaration.
  case pluginSchema = "plugin-schema"
  /// A task of a plugin failed and has ended; the line below says which action started it.
  case pluginTask = "plugin-task"
  /// A test of the plugin failed, or there is none.
  case pluginTest = "plugin-test"
  /// A program ended with another status than 0, or by a signal.
  case programFailed = "program-failed"
  /// The store is busy, and as many actions wait as its queue may hold.
  case queueFull = "queue-full"
  /// A plugin refused the action, for the reason that it gives; nothing was changed.
  case refused
  /// Two versions of a plugin, or a recording and the logic, make different states of one action, which is named.
  case replayDiverged = "replay-diverged"
  /// A dispatch caused more actions than the setting runaway allows; the rest was dropped.
  case runaway
  /// A reducer has a number fall that gives out ids, or gives an id twice; nothing was changed.
  case sequence
  /// A reducer of the program keeps its part of the state behind a class reference.
  case sharedSlice = "shared-slice"
  /// The file of a store is torn or not what was written.
  case storeDamaged = "store-damaged"
  /// The file of a store cannot be written, such as on a full disk.
  case storeFailed = "store-failed"
  /// The file of the store is written, by another session or by this one.
  case storeInUse = "store-in-use"
  /// The state that the file of a store holds does not fit the types that are declared now.
  case storeSchema = "store-schema"
  /// The file is no store, may not be opened, or was written by a later version.
  case storeUnreadable = "store-unreadable"
  /// The text is not a statement: something is open at its end, or stands where it cannot.
  case syntax
  /// The event that wait waited for did not come in time.
  case timedOut = "timed-out"
  /// A value is not of the type that is declared.
  case typeMismatch = "type-mismatch"
  /// Others have acted on what undo would take back.
  case undoConflict = "undo-conflict"
  /// The command or action takes no such argument.
  case unexpectedArgument = "unexpected-argument"
  /// No module has an action of that name. describe MODULE lists a module's actions.
  case unknownAction = "unknown-action"
  /// There is no such verb.
  case unknownCommand = "unknown-command"
  /// No effect of that id runs. effects lists them.
  case unknownEffect = "unknown-effect"
  /// The command has no such flag. help COMMAND lists them.
  case unknownFlag = "unknown-flag"
  /// There is no such format, or not for this command.
  case unknownFormat = "unknown-format"
  /// There is no middleware of that name. middleware lists them.
  case unknownMiddleware = "unknown-middleware"
  /// There is no module of that name. describe lists them.
  case unknownModule = "unknown-module"
  /// The path leads nowhere: a name, index or id on it does not exist.
  case unknownPath = "unknown-path"
  /// No plugin of that name is loaded. plugin list shows those that are.
  case unknownPlugin = "unknown-plugin"
  /// There is no setting of that name. set lists them.
  case unknownSetting = "unknown-setting"
  /// There is no substate of that name. substate lists them.
  case unknownSubstate = "unknown-substate"
  /// No module and no plugin that runs declares a thunk of that name. thunk lists them.
  case unknownThunk = "unknown-thunk"
  /// Help knows commands and error codes.
  case unknownTopic = "unknown-topic"
  /// Nothing was set under that name.
  case unknownVariable = "unknown-variable"
  /// There is no watch of that id. watch lists them.
  case unknownWatch = "unknown-watch"
  /// The file is there, but it cannot be read: it is a folder, is compressed, or may not be opened.
  case unreadableFile = "unreadable-file"
  /// A file, or standard output, cannot be written, such as on a full disk.
  case writeFailed = "write-failed"
}

/// The whole text of an error as `print(error)` shows it: the message, what else is known of it, and what to try.
package func errorText(_ message: String, details: [String], hint: String?) -> String {
  ([message] + details.map { "  \($0)" } + (hint.map { ["hint: \($0)"] } ?? [])).joined(separator: "\n")
}

extension ErrorCode: CustomStringConvertible {
  /// The word, as users meet it.
  public var description: String { rawValue }

  /// The words of all codes, in alphabetical order.
  public static let words = allCases.map(\.rawValue).sorted()
}

extension ErrorCode {
  /// The kind of error in one or two sentences, as `help CODE` shows it.
  public var explanation: String {
    switch self {
    case .assertFailed:
      "the expression of an assert is false or nil. Both sides of a comparison are shown."
    case .atomicKept:
      "the lines behind atomic begin could not be taken back, since an action of another would fail or do something else without them. All of them stay."
    case .badInterceptor:
      "an interceptor dispatched while the chain was being built, or called next twice or too late."
    case .badRecording:
      "a line of a recording cannot be read, or does not fit this program. Nothing was changed."
    case .badRequest:
      "a client sent a door a line that is not a valid request; the message says why. Three in a row close the connection."
    case .badState:
      "a file with a state is not JSON. Nothing was changed."
    case .badRecord:
      "a line of an ingested file is not JSON or does not fit the action. The lines before it stay; with --keep-going the lines behind it are ingested too."
    case .closed:
      "the program that owns the store has closed it; nothing was changed."
    case .commandLine:
      "the command line of the program cannot be read: an unknown option, a value that is missing or none that the option takes. The status is 2."
    case .connectionLost:
      "the connection to the store of another program was lost: that program ended, or closed the connection. The status is 6. A statement that was not answered yet may or may not have run."
    case .cutOff:
      "the log of a shared store cannot be reached, so that this node is read-only. Nothing was done; it follows again by itself."
    case .doorInUse:
      "another process listens at that address already. Attach to it, or choose another address."
    case .duplicateUnit:
      "two middlewares have the same name."
    case .failed:
      "the application's own reducer or the operating system refused something; the message says what."
    case .`import`:
      "the state in a file does not fit this store, as the message says. Nothing was changed."
    case .`internal`:
      "the program itself has a fault. Its crash file says where; stsh --recover takes up a session at the prompt."
    case .interrupted:
      "Ctrl-C was pressed, or a signal came, while the command ran. The action that was being processed changed nothing."
    case .lineTooLong:
      "a statement is longer than 8 MiB. Read big data with ingest."
    case .luaError:
      "Lua raised an error. The line below the message says where."
    case .luaSyntax:
      "the text is not valid Lua."
    case .missingArgument:
      "a required argument of the command or action is missing. The hint shows how to write it."
    case .nameTaken:
      "the name is in use already: for a command, a module, or something of Lua."
    case .neverHeld:
      "bisect found no action that made its expression true."
    case .noSuchFile:
      "there is no such file, or no folder to create it in."
    case .notAllowed:
      "this is not allowed here: a flag such as --no-exec forbids it, the door that the session came in by does, it is for the prompt only, as alias is, or the test of a plugin may not do it."
    case .noDoor:
      "no process listens at that address, or the token does not match. stsh --attach lists the doors that are open."
    case .noSharedStore:
      "a shared store cannot be opened: no server answers, it refuses the login or has no JetStream, or the stream is another one. The status is 6."
    case .nodeStopped:
      "this node follows its shared store no further, for the reason that the message gives; it is read-only. Nothing was done."
    case .notFresh:
      "replay replaces the session's history, so the session may have no actions of its own."
    case .notAtHead:
      "an earlier state is shown, or one with skipped actions. It is read-only; log and why do not work in a skipped view. goto head returns to the present; undo --to N makes an earlier state the present."
    case .notKept:
      "the point is older than the history that is kept; set journal.limit shows its limit."
    case .notSkipped:
      "the action is not skipped: unskip is for actions that skip left out."
    case .nothingToRecover:
      "--recover found no session at the prompt that ended unexpectedly."
    case .nothingToRedo:
      "there is no undo to take back, or not that many: redo works until you dispatch something else."
    case .nothingToUndo:
      "you have dispatched nothing that could be taken back, or not that many statements."
    case .outOfRange:
      "a number is not in the allowed range, or a result does not fit its type."
    case .outcomeUnknown:
      "the log of a shared store did not answer in time. The action may have happened, or may happen yet; log shows it then. The status is 6."
    case .pluginApi:
      "the plugin is written for another version of the plugin API than this shell serves."
    case .pluginBudget:
      "a plugin used more instructions, time, tasks or actions a second than it may; a reducer changed nothing. It may ask for more under limits in plugin.json."
    case .pluginCheck:
      "plugin check found faults, which it lists."
    case .pluginGrant:
      "the plugin asks for permissions that nobody granted. Run with --grant NAME, or answer at the prompt."
    case .pluginImpure:
      "a reducer or projection keeps state of its own, in a local variable outside it, or depends on one that other code changes. Keep the value in the plugin's state."
    case .pluginLoad:
      "the plugin's files cannot be read, or its Lua cannot be run. Nothing of it was loaded."
    case .pluginMemory:
      "a plugin needed more memory than its limit; a reducer changed nothing."
    case .pluginOff:
      "the plugin that the action belongs to is off or not loaded any more, so nothing processed it and nothing was changed. `plugin enable NAME` lets it run again; `plugin list` shows why it is off."
    case .pluginRuntime:
      "a plugin's function raised an error. From a reducer: the state is unchanged."
    case .pluginSchema:
      "a plugin's state, action or name does not fit its declaration."
    case .pluginTask:
      "a task of a plugin failed and has ended; the line below says which action started it. What it did before stays."
    case .pluginTest:
      "a test of the plugin failed, or there is none. What failed stands on standard output."
    case .programFailed:
      "a program that run started ended with another status than 0, or by a signal. $(err.status) is its status after try."
    case .queueFull:
      "the store is busy, and as many actions wait as its queue may hold. This one was not taken; dispatch it again later."
    case .refused:
      "a plugin refused the action, for the reason that it gives; nothing was changed."
    case .replayDiverged:
      "two versions of a plugin, or a recording and the code that replays it, lead to different states after one action, which the message names."
    case .runaway:
      "one dispatch caused more actions than the setting runaway allows; the rest was dropped."
    case .sequence:
      "a reducer has a number fall that gives out ids, or gives an id twice; nothing was changed."
    case .sharedSlice:
      "a reducer of the program keeps its part of the state behind a class reference."
    case .storeDamaged:
      "the file of a store is damaged. It is left as it is; --read-only reads its undamaged part."
    case .storeFailed:
      "the file of a store cannot be written, such as on a full disk. Everything confirmed before is saved."
    case .storeInUse:
      "the file of the store is in use, by another session or by this one. It can be read meanwhile with --read-only."
    case .storeSchema:
      "the state that the file of a store holds does not fit the types that are declared now. The file is as it was."
    case .storeUnreadable:
      "the file is not a store, may not be opened, or was written by a later version."
    case .syntax:
      "the text is not a statement: a quote or a bracket is not closed, or something stands where it is not allowed."
    case .timedOut:
      "what a command waited for did not happen in time. The status is 5."
    case .typeMismatch:
      "a value does not have the type that is declared. The message names both."
    case .undoConflict:
      "a later action depends on what undo would take back, and nothing was changed. undo --to N returns to the state after action N, and takes back all since. If others have acted, undo --any takes back the last action of all."
    case .unexpectedArgument:
      "the command or action takes no such argument, or not so many."
    case .unknownAction:
      "no module has an action of that name. describe MODULE lists a module's actions."
    case .unknownCommand:
      "there is no such verb. Actions are run with dispatch."
    case .unknownEffect:
      "no effect of that id runs. effects lists them."
    case .unknownFlag:
      "the command has no such flag. help COMMAND lists them."
    case .unknownFormat:
      "there is no such format, or not for this command. The message or the hint names those that there are."
    case .unknownMiddleware:
      "there is no middleware of that name. middleware lists them."
    case .unknownModule:
      "there is no module of that name. describe lists them."
    case .unknownPath:
      "the path leads nowhere: a name, index or id on it does not exist."
    case .unknownPlugin:
      "no plugin of that name is loaded. plugin list shows those that are."
    case .unknownSetting:
      "there is no setting of that name. set lists them."
    case .unknownSubstate:
      "there is no substate of that name. substate lists them."
    case .unknownThunk:
      "no module and no plugin that runs declares a thunk of that name. thunk lists them."
    case .unknownTopic:
      "help knows commands and error codes."
    case .unknownVariable:
      "there is no variable of that name. Set it with let NAME = EXPR."
    case .unreadableFile:
      "the file exists but cannot be read: it is a folder, is compressed, or may not be opened."
    case .unknownWatch:
      "there is no watch of that id. watch lists them."
    case .writeFailed:
      "a file, or standard output, cannot be written, such as on a full disk. The message says why."
    }
  }
}
