import StoreCore
import TraceSupport
import Testing

/// Rows 85, 113, 114: values that are read from a store and written by actions.
@Suite struct BindingTests {
  struct Address: Equatable, Sendable {
    var street = "Elm"
    var number = 1
  }

  struct Form: Equatable, Sendable {
    var title = "x"
    var address = Address()
    var log: [String] = []
  }

  enum Edit: Equatable, Sendable {
    case setTitle(String)
    case setAddress(Address)
    case update(BindingUpdate<Form>)
    var update: BindingUpdate<Form>? { if case .update(let update) = self { update } else { nil } }
  }

  static func store() throws -> Store<Edit, Form> {
    try Store(initial: Form()) {
      Reducer<Edit, Form>("form") { edit, form in
        switch edit {
        // A reducer may answer a write otherwise than by storing it.
        case .setTitle(let title): form.title = String(title.prefix(3))
        case .setAddress(let address): form.address = address
        case .update: break
        }
      }
      Reducer<BindingUpdate<Form>, Form>.updates.lift(action: { (edit: Edit) in edit.update }, state: \Form.self)
    }
  }

  @Test func aWriteIsTheOneActionDeclaredForItFromTheLineThatWrote() throws {
    let store = try Self.store()
    let records = Notes<(Edit, ActionSource)>()
    store.setRecorder { records.note(($0.action, $0.context.source)) }
    let title = store.binding(\.title, set: { Edit.setTitle($0) })
    #expect(title.value == "x")
    let line = #line + 1
    #expect(title.set("lengthy", info: "typed")?.number == 1)
    #expect(title.value == "len", "what the reducers made of it")
    #expect(records.all.map(\.0) == [.setTitle("lengthy")])
    #expect(records.all.map(\.1) == [.here(info: "typed", line: line)])
    let typed = ActionSource(file: "repl", function: "set", line: 4, kind: .repl)
    title.set("a", source: typed)
    #expect(records.all.last?.1 == typed)
  }

  @Test func aWriteIsVisibleOnlyOnceItIsReduced() throws {
    let store = try Self.store()
    let title = store.binding(\.title, set: { Edit.setTitle($0) })
    let seen = Notes<String>()
    let watch = store.watch("other", \.address) { notification in
      guard notification.old != nil else { return }
      let result = title.set("y")
      if case .queued = result?.outcome { seen.note("queued") }
      seen.note(title.value)
    }
    store.dispatch(.setAddress(Address(street: "Oak", number: 2)))
    withExtendedLifetime(watch) {}
    #expect(seen.all == ["queued", "x"])
    #expect(title.value == "y")
  }

  @Test func aWatcherOfABindingIsToldOfChangesWhoeverMadeThem() throws {
    let store = try Self.store()
    let street = store.binding(\.address, set: { Edit.setAddress($0) }).part(\.street)
    let told = Notes<String>()
    let watch = street.watch { told.note("\($0.old ?? "-")→\($0.new)") }
    street.set("Oak")
    street.set("Oak")
    store.dispatch(.setAddress(Address(street: "Oak", number: 9)))
    store.dispatch(.setAddress(Address(street: "Ash", number: 9)))
    watch.cancel()
    street.set("Fir")
    #expect(told.all == ["-→Elm", "Elm→Oak", "Oak→Ash"])
    #expect(store.state.address == Address(street: "Fir", number: 9), "the other part stays")
  }

  @Test func partsOfAWholeTakeEachOtherBackWhileTheStoreIsBusyAndUpdatesDoNot() throws {
    for (isUpdate, expected) in [(false, Address(street: "Elm", number: 5)), (true, Address(street: "Oak", number: 5))]
    {
      let store = try Self.store()
      let address =
        isUpdate
        ? store.binding(\.address, update: { Edit.update($0) }) : store.binding(\.address, set: { .setAddress($0) })
      let watch = store.watch("title", \.title) { notification in
        guard notification.old != nil else { return }
        address.part(\.street).set("Oak")
        address.part(\.number).set(5)
      }
      store.dispatch(.setTitle("go"))
      withExtendedLifetime(watch) {}
      #expect(store.state.address == expected)
    }
  }

  @Test func anUpdateCarriesOnePathAndOneValue() throws {
    let store = try Self.store()
    let records = Notes<Edit>()
    store.setRecorder { records.note($0.action) }
    let number = store.binding(\.address, update: { Edit.update($0) }).part(\.number)
    number.set(7)
    let update = try #require(records.all.first?.update)
    #expect(update == BindingUpdate(\.address.number, 7))
    #expect(update != BindingUpdate(\.address.number, 8))
    #expect(update != BindingUpdate(\.address.street, "7"))
    #expect(update.path == \Form.address.number)
    #expect(update.value as? Int == 7)
    #expect("\(update)".hasSuffix(" = 7"))
    var form = Form(title: "kept")
    update.apply(to: &form)
    #expect(form == Form(title: "kept", address: Address(number: 7)))
  }

  @Test func aBindingOfAProjectionMapsItsWritesAndMayDropThem() throws {
    let store = try Self.store()
    let sources = Notes<ActionSource>()
    store.setRecorder { sources.note($0.context.source) }
    let upper = store.projection(
      action: { (title: String) in title.isEmpty ? nil : Edit.setTitle(title) }, state: { $0.title })
    let title = upper.projection(state: { $0 + "!" }).binding({ $0 }, set: { $0 })
    #expect(title.set("") == nil)
    let line = #line + 1
    title.set("ab")
    #expect(title.value == "ab!")
    #expect(sources.all == [.here(line: line)])
    let form = store.projection(state: { $0 }).binding(\.address, update: { .update($0) }).part(\.street)
    form.set("Oak")
    #expect(form.value == "Oak")
    let told = Notes<String>()
    let watch = form.watch { told.note($0.new) }
    store.dispatch(.setTitle("q"))
    form.set("Fir")
    withExtendedLifetime(watch) {}
    #expect(told.all == ["Oak", "Fir"])
  }

  @Test func threadsWriteThroughOneBinding() async throws {
    let store = try Self.store()
    let address = store.binding(\.address, update: { Edit.update($0) })
    let told = Notes<Int>()
    let watch = address.part(\.number).watch { told.note($0.new) }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for number in 0..<200 { address.part(\.number).set(number) } }
      group.addTask { for number in 0..<200 { address.part(\.street).set("\(number)") } }
    }
    store.awaitQueue()
    #expect(store.state.address == Address(street: "199", number: 199))
    withExtendedLifetime(watch) {}
    #expect(told.all.last == 199)
    #expect(zip(told.all.dropFirst(), told.all.dropFirst(2)).allSatisfy { $0 < $1 }, "in order, each once")
  }
}
