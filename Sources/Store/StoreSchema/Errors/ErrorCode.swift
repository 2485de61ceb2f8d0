/// The stable words under which errors are reported and logged: `help CODE` explains each.
public enum ErrorCode: String, CaseIterable, Hashable, Sendable {
  case assertFailed = "assert-failed"
  case badInterceptor = "bad-interceptor"
  case badRecord = "bad-record"
  case badRecording = "bad-recording"
  case badState = "bad-state"
  case duplicateUnit = "duplicate-unit"
  case failed
  case `internal`
  case interrupted
  case lineTooLong = "line-too-long"
  case luaError = "lua-error"
  case luaSyntax = "lua-syntax"
  case missingArgument = "missing-argument"
  case nameTaken = "name-taken"
  case neverHeld = "never-held"
  case noSuchFile = "no-such-file"
  case notAllowed = "not-allowed"
  case notAtHead = "not-at-head"
  case notFresh = "not-fresh"
  case notKept = "not-kept"
  case notSkipped = "not-skipped"
  case nothingToRecover = "nothing-to-recover"
  case nothingToRedo = "nothing-to-redo"
  case nothingToUndo = "nothing-to-undo"
  case outOfRange = "out-of-range"
  case pluginApi = "plugin-api"
  case pluginBudget = "plugin-budget"
  case pluginCheck = "plugin-check"
  case pluginGrant = "plugin-grant"
  case pluginImpure = "plugin-impure"
  case pluginLoad = "plugin-load"
  case pluginMemory = "plugin-memory"
  case pluginRuntime = "plugin-runtime"
  case pluginSchema = "plugin-schema"
  case pluginTask = "plugin-task"
  case pluginTest = "plugin-test"
  case queueFull = "queue-full"
  case refused
  case replayDiverged = "replay-diverged"
  case runaway
  case sharedSlice = "shared-slice"
  case storeDamaged = "store-damaged"
  case storeFailed = "store-failed"
  case storeInUse = "store-in-use"
  case storeSchema = "store-schema"
  case storeUnreadable = "store-unreadable"
  case syntax
  case timedOut = "timed-out"
  case typeMismatch = "type-mismatch"
  case unexpectedArgument = "unexpected-argument"
  case unknownAction = "unknown-action"
  case unknownCommand = "unknown-command"
  case unknownEffect = "unknown-effect"
  case unknownFlag = "unknown-flag"
  case unknownFormat = "unknown-format"
  case unknownMiddleware = "unknown-middleware"
  case unknownModule = "unknown-module"
  case unknownPath = "unknown-path"
  case unknownPlugin = "unknown-plugin"
  case unknownSetting = "unknown-setting"
  case unknownSubstate = "unknown-substate"
  case unknownThunk = "unknown-thunk"
  case unknownTopic = "unknown-topic"
  case unknownVariable = "unknown-variable"
  case unknownWatch = "unknown-watch"
  case unreadableFile = "unreadable-file"
  case writeFailed = "write-failed"
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
    case .badInterceptor:
      "an interceptor dispatched while the chain was being built, or called next twice or too late."
    case .badRecording:
      "a line of a recording cannot be read, or does not fit this program. Nothing was changed."
    case .badState:
      "a file with a state is not JSON. Nothing was changed."
    case .badRecord:
      "a line of an ingested file is not JSON or does not fit the action. What came before it stays."
    case .duplicateUnit:
      "two middlewares have the same name."
    case .failed:
      "the system refused something; the message says what."
    case .`internal`:
      "the program itself is at fault. Its crash file says where; a session at the prompt can be recovered."
    case .interrupted:
      "Ctrl-C was pressed, or a signal came, while the command ran. The action that was being processed changed nothing."
    case .lineTooLong:
      "a statement has more than 8 MiB. Read big data with ingest."
    case .luaError:
      "Lua raised an error. The line below the message is where."
    case .luaSyntax:
      "the text is not Lua."
    case .missingArgument:
      "something that the command or action needs is not there. The hint shows how it is written."
    case .nameTaken:
      "the name means something else already: a command, a module, or something of Lua."
    case .neverHeld:
      "a bisect found no action after which its expression holds."
    case .noSuchFile:
      "there is no such file, or no folder that it could be made in."
    case .notAllowed:
      "the session was started with a flag that forbids this, such as --no-exec, it is for the prompt only, as alias is, or the test of a plugin does without it."
    case .notFresh:
      "a recording is put in place of a session's history only where the session has none of its own."
    case .notAtHead:
      "an earlier state is shown, or one that never was. Nothing may change it, and what tells of what happened does not tell of one that never was. goto head returns to the present; undo --to N makes an earlier state the present."
    case .notKept:
      "the point is older than what the history keeps; set journal.limit says how much that is."
    case .notSkipped:
      "unskip takes an action that skip left out."
    case .nothingToRecover:
      "--recover found no session at the prompt that ended unexpectedly."
    case .nothingToRedo:
      "no undo came since you last dispatched something, or not that many."
    case .nothingToUndo:
      "you have dispatched nothing that could be taken back, or not that much."
    case .outOfRange:
      "a number is outside the bounds that its type declares."
    case .pluginApi:
      "the plugin is written for another version of the plugin API than this shell serves."
    case .pluginBudget:
      "a plugin used more instructions, time, tasks or actions a second than it may; a reducer changed nothing. It may ask for more under limits in plugin.json."
    case .pluginCheck:
      "plugin check found faults, which it lists."
    case .pluginGrant:
      "the plugin asks for permissions that nobody granted. Run with --grant NAME, or answer at the prompt."
    case .pluginImpure:
      "a reducer or projection keeps state of its own, in a local outside it, or depends on one that other code changes. Keep the value in the plugin's state."
    case .pluginLoad:
      "the plugin's files cannot be read, or its Lua cannot be run. Nothing of it was loaded."
    case .pluginMemory:
      "a plugin needed more memory than its limit; a reducer changed nothing."
    case .pluginRuntime:
      "a plugin's function raised an error. From a reducer: the state is unchanged."
    case .pluginSchema:
      "a plugin's state, action or name does not fit what is declared."
    case .pluginTask:
      "a task of a plugin failed and has ended; the line below says which action started it. What it did before stays."
    case .pluginTest:
      "a test of the plugin failed, or there is none. What failed stands on standard output."
    case .queueFull:
      "the store is busy, and as many actions wait as its queue may hold. This one was not taken; dispatch it again later."
    case .refused:
      "a plugin refused the action, for the reason that it gives; nothing was changed."
    case .replayDiverged:
      "two versions of a plugin, or a recording and the logic, make different states of one action, which is named."
    case .runaway:
      "one dispatch caused more actions than the setting runaway allows; the rest was dropped."
    case .sharedSlice:
      "a reducer of the program keeps its part of the state behind a class reference."
    case .storeDamaged:
      "the file of a store is torn or not what was written. It is kept; what is good of it can be read with --read-only."
    case .storeFailed:
      "the file of a store cannot be written, such as on a full disk. What was acknowledged before is in it."
    case .storeInUse:
      "the file of the store is written, by another session or by this one. It can be read meanwhile with --read-only."
    case .storeSchema:
      "the state that the file of a store holds does not fit the types that are declared now. The file is as it was."
    case .storeUnreadable:
      "the file is no store, may not be opened, or was written by a later version."
    case .syntax:
      "the text is not a statement: something is open at its end, or stands where it cannot."
    case .timedOut:
      "what wait waited for did not come in time. The status is 5."
    case .typeMismatch:
      "a value is not of the type that is declared. The message says both."
    case .unexpectedArgument:
      "the command or action takes no such argument."
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
      "nothing was set under that name. Set it with let NAME = EXPR."
    case .unreadableFile:
      "the file is there, but it cannot be read: it is a folder, is compressed, or may not be opened."
    case .unknownWatch:
      "there is no watch of that id. watch lists them."
    case .writeFailed:
      "a file, or standard output, cannot be written, such as on a full disk. The message says why."
    }
  }
}
