import StoreCore
import StoreHistory
import StoreModules
import StorePlugins
import StoreSchema

/// The reducers of an application and some plugins, to run recorded actions with: nothing is dispatched, recorded or counted,
/// and what fails is no strike against a plugin that runs.
package struct ReplayLogic {
  private let application: HostedApplication
  private let reducer: Reducer<HostAction, HostState>
  private let types: ActionTable
  private let plugins: [Plugin]

  /// - Parameters:
  ///   - plugins: the plugins in load order.
  ///   - running: those whose reducers run; nil: all of them.
  package init(_ application: HostedApplication, _ plugins: [Plugin], running: [Plugin]? = nil) {
    self.application = application
    self.plugins = plugins
    let silent = (running ?? plugins).map { ($0, PluginStrikes(FaultBox())) }
    reducer = HostedPlugin.reducers(silent, behind: application.reducers)
    types = application.actionsByName(beside: plugins)
  }

  /// Has the plugins answer the actions of these plugins: two logics may share some, of which each has to be bound before it is
  /// asked.
  package func bind() {
    for plugin in plugins { plugin.rebind { [types] in types[$0] } }
  }

  /// Whether the action of an entry is one of a module.
  package func knows(_ entry: LoggedEntry) -> Bool { types[entry.action] != nil }

  /// What the reducers make of a recorded action.
  package func outcome(of entry: LoggedEntry, in state: HostState) -> ReplayOutcome {
    guard let type = types[entry.action] else { return .failure("there is no action '\(entry.action)'") }
    do {
      let call = try entry.call(type)
      let context = ActionContext(number: entry.number, source: entry.source, time: entry.time, root: entry.number)
      let action = ReplayedAction(try application.hostAction(call), context: context)
      return .state(try reducer.replay([action], from: state))
    } catch let error as ReplayError {
      return .failure(HostError(describing: error.cause).message)
    } catch {
      return .failure(HostError(describing: error).message)
    }
  }
}
