import StoreCore
import StoreHistory
import StorePlugins
import StoreSchema
import StoreUnits

/// The codes under which errors of the libraries are reported and logged.
enum ErrorCode {
  /// The code of an error.
  static func of(_ error: any Error) -> String {
    switch error {
    case let error as PluginError: error.code.rawValue
    case let error as TaskFailure: error.error.code.rawValue
    case let error as SchemaError: error.code
    case .exists as SubstateError: "name-taken"
    case is SubstateError: "unknown-substate"
    case let error as StoreError:
      switch error {
      case .duplicateUnit: "duplicate-unit"
      case .sharedSlice: "shared-slice"
      case .runaway: "runaway"
      case .dispatchWhileBuilding, .nextOutOfTurn: "bad-interceptor"
      case .parked: "not-at-head"
      case .cancelled, .busy, .interrupted: "interrupted"
      }
    case let error as HistoryError:
      switch error {
      case .beyondHead: "out-of-range"
      case .notKept: "not-kept"
      case .unreadable, .stateIsLost: "store-damaged"
      case .nothingToUndo: "nothing-to-undo"
      case .nothingToRedo: "nothing-to-redo"
      }
    case is PathError: "unknown-path"
    default: "failed"
    }
  }

  /// What `help CODE` says.
  static let explanations: [String: String] = [
    "assert-failed": "the expression of an assert is false or nil. Both sides of a comparison are shown.",
    "bad-interceptor":
      "an interceptor dispatched while the chain was being built, or called next twice or too late.",
    "bad-recording":
      "a line of a recording cannot be read, or does not fit this program. Nothing was changed.",
    "bad-state": "a file with a state is not JSON. Nothing was changed.",
    "bad-record": "a line of an ingested file is not JSON or does not fit the action. What came before it stays.",
    "duplicate-unit": "two middlewares have the same name.",
    "failed": "the system refused something; the message says what.",
    "internal": "the program itself is at fault. Its crash file says where; a session at the prompt can be recovered.",
    "interrupted":
      "Ctrl-C was pressed, or a signal came, while the command ran. The action that was being processed changed nothing.",
    "line-too-long": "a statement has more than 8 MiB. Read big data with ingest.",
    "lua-error": "Lua raised an error. The line below the message is where.",
    "lua-syntax": "the text is not Lua.",
    "missing-argument": "something that the command or action needs is not there. The hint shows how it is written.",
    "name-taken": "the name means something else already: a command, a module, or something of Lua.",
    "never-held": "a bisect found no action after which its expression holds.",
    "no-such-file": "there is no such file, or no folder that it could be made in.",
    "not-allowed":
      "the session was started with a flag that forbids this, such as --no-exec, it is for the prompt only, as alias is, or the test of a plugin does without it.",
    "not-fresh": "a recording is put in place of a session's history only where the session has none of its own.",
    "not-at-head":
      "an earlier state is shown, or one that never was. Nothing may change it, and what tells of what happened does not tell of one that never was. goto head returns to the present; undo --to N makes an earlier state the present.",
    "not-kept": "the point is older than what the history keeps; set journal.limit says how much that is.",
    "not-skipped": "unskip takes an action that skip left out.",
    "nothing-to-recover": "--recover found no session at the prompt that ended unexpectedly.",
    "nothing-to-redo": "no undo came since you last dispatched something, or not that many.",
    "nothing-to-undo": "you have dispatched nothing that could be taken back, or not that much.",
    "out-of-range": "a number is outside the bounds that its type declares.",
    "plugin-api": "the plugin is written for another version of the plugin API than this shell serves.",
    "plugin-budget":
      "a plugin used more instructions, time, tasks or actions a second than it may; a reducer changed nothing. It may ask for more under limits in plugin.json.",
    "plugin-check": "plugin check found faults, which it lists.",
    "plugin-grant":
      "the plugin asks for permissions that nobody granted. Run with --grant NAME, or answer at the prompt.",
    "plugin-impure":
      "a reducer or projection keeps state of its own, in a local outside it, or depends on one that other code changes. "
      + "Keep the value in the plugin's state.",
    "plugin-load": "the plugin's files cannot be read, or its Lua cannot be run. Nothing of it was loaded.",
    "plugin-memory": "a plugin needed more memory than its limit; a reducer changed nothing.",
    "plugin-runtime": "a plugin's function raised an error. From a reducer: the state is unchanged.",
    "plugin-schema": "a plugin's state, action or name does not fit what is declared.",
    "plugin-task":
      "a task of a plugin failed and has ended; the line below says which action started it. What it did before stays.",
    "plugin-test": "a test of the plugin failed, or there is none. What failed stands on standard output.",
    "refused": "a plugin refused the action, for the reason that it gives; nothing was changed.",
    "replay-diverged":
      "two versions of a plugin, or a recording and the logic, make different states of one action, which is named.",
    "runaway": "one dispatch caused more actions than the setting runaway allows; the rest was dropped.",
    "shared-slice": "a reducer of the program keeps its part of the state behind a class reference.",
    "store-damaged":
      "the file of a store is torn or not what was written. It is kept; what is good of it can be read with --read-only.",
    "store-failed":
      "the file of a store cannot be written, such as on a full disk. What was acknowledged before is in it.",
    "store-in-use":
      "the file of the store is written, by another session or by this one. It can be read meanwhile with --read-only.",
    "store-schema":
      "the state that the file of a store holds does not fit the types that are declared now. The file is as it was.",
    "store-unreadable": "the file is no store, may not be opened, or was written by a later version.",
    "syntax": "the text is not a statement: something is open at its end, or stands where it cannot.",
    "timed-out": "what wait waited for did not come in time. The status is 5.",
    "type-mismatch": "a value is not of the type that is declared. The message says both.",
    "unexpected-argument": "the command or action takes no such argument.",
    "unknown-action": "no module has an action of that name. describe MODULE lists a module's actions.",
    "unknown-command": "there is no such verb. Actions are run with dispatch.",
    "unknown-effect": "no effect of that id runs. effects lists them.",
    "unknown-flag": "the command has no such flag. help COMMAND lists them.",
    "unknown-format":
      "there is no such format, or not for this command. The message or the hint names those that there are.",
    "unknown-middleware": "there is no middleware of that name. middleware lists them.",
    "unknown-module": "there is no module of that name. describe lists them.",
    "unknown-path": "the path leads nowhere: a name, index or id on it does not exist.",
    "unknown-plugin": "no plugin of that name is loaded. plugin list shows those that are.",
    "unknown-setting": "there is no setting of that name. set lists them.",
    "unknown-substate": "there is no substate of that name. substate lists them.",
    "unknown-thunk": "no module and no plugin that runs declares a thunk of that name. thunk lists them.",
    "unknown-topic": "help knows commands and error codes.",
    "unknown-variable": "nothing was set under that name. Set it with let NAME = EXPR.",
    "unreadable-file": "the file is there, but it cannot be read: it is a folder, is compressed, or may not be opened.",
    "unknown-watch": "there is no watch of that id. watch lists them.",
    "write-failed": "a file, or standard output, cannot be written, such as on a full disk. The message says why.",
  ]
}
