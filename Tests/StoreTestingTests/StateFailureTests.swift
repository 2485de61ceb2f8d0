import StoreCore
import StoreTesting
import Testing

/// Rows 141, 144 and 145 of StoreCore's `Coverage.md`: what a test store says where a state is not as declared.
@Suite struct StateFailureTests {
  private let collected = Collected()

  @Test func aDeclaredChangeThatIsNotTheOneThatHappened() throws {
    let store = try DeskStore(collected)
    store.send(.increment) { $0.value = 2 }
    #expect(
      collected.texts() == [
        """
        the state after increment is not as expected
          value: expected 2, got 1
        """
      ])
    // The next step starts from what is there.
    store.send(.increment) { $0.value = 2 }
    #expect(collected.texts() == [])
  }

  @Test func everyPlaceThatDiffersIsNamed() throws {
    let books = [Book(id: 7, title: "Dune"), Book(id: 8, title: "Ubik")]
    let store = try DeskStore(collected, initial: Desk(query: "d"))
    store.send(.found(books)) {
      $0.value = 1
      $0.found = [Book(id: 7, title: "dune"), Book(id: 9, title: "Vurt")]
    }
    #expect(
      collected.texts() == [
        """
        the state after found([StoreTestingTests.Book(id: 7, title: "Dune"), \
        StoreTestingTests.Book(id: 8, title: "Ubik")]) is not as expected
          value: expected 1, got 0
          found[id=7].title: expected "dune", got "Dune"
          found[id=9]: expected {"id":9,"title":"Vurt"}, got nothing
          found[id=8]: expected nothing, got {"id":8,"title":"Ubik"}
        """
      ])
  }

  @Test func aNewOrderIsADifference() throws {
    let books = [Book(id: 7, title: "Dune"), Book(id: 8, title: "Ubik")]
    let store = try DeskStore(collected)
    store.send(.found(books)) { $0.found = books.reversed() }
    #expect(
      collected.texts().map { $0.split(separator: "\n").dropFirst().joined(separator: "\n") } == [
        """
          found[id=8]: expected at 0, got at 1
        """
      ])
  }

  @Test func aChangeThatWasNotDeclared() throws {
    let store = try DeskStore(collected)
    store.send(.increment)
    #expect(
      collected.texts() == [
        """
        increment changed the state, which was not declared
          value: expected 0, got 1
        """
      ])
  }

  @Test func aDeclaredChangeWhereNothingHappens() throws {
    let store = try DeskStore(collected)
    store.send(.setTicking(false)) { $0.isTicking = false }
    #expect(collected.texts() == ["a change was declared for setTicking(false), but nothing changed"])
    store.send(.setTicking(false)) { $0.isTicking = true }
    #expect(
      collected.texts() == [
        """
        the state after setTicking(false) is not as expected
          isTicking: expected true, got false
        """
      ])
  }

  @Test func aDeclaredChangeThatThrows() throws {
    let store = try DeskStore(collected)
    store.send(.increment) { _ in throw Overdrawn(by: 1) }
    #expect(collected.texts() == ["the declared change of increment threw: Overdrawn(by: 1)"])
  }

  @Test func theLineOfTheStepAndThatOfTheChange() throws {
    let store = try DeskStore(collected)
    let line = #line
    store.send(.increment) { $0.value = 5 }
    store.send(
      .increment,
      .changing { $0.value = 5 })
    store.send(
      .increment)
    store.receive(
      .tick,
      .changing { $0.value = 5 })
    let failures = collected.take()
    #expect(failures.map { $0.location.line - line } == [1, 4, 5, 7])
    #expect(failures.allSatisfy { $0.location.fileID == #fileID && $0.location.filePath == #filePath })
    #expect(failures[1].description == "\(#fileID):\(line + 4): \(failures[1].text)")
  }

  @Test func aStateThatIsChangedBetweenSteps() throws {
    let store = try DeskStore(collected)
    store.store.dispatch(.increment)
    let line = #line + 1
    store.send(.increment) { $0.value = 2 }
    let failures = collected.take()
    #expect(
      failures.map(\.text) == [
        """
        the state was changed between two steps
          value: expected 0, got 1
        """
      ])
    #expect(failures.map(\.location.line) == [line])
  }

  @Test func codeThatDispatchesOnTheStoreItselfDeclaresTheChange() throws {
    let store = try DeskStore(collected)
    let projection = store.store.projection(action: { (_: Void) in .increment }, state: { $0.value })
    store.perform(changing: { $0.value = 1 }) { _ = projection.dispatch(()) }
    #expect(collected.texts() == [])
    store.perform { _ = projection.dispatch(()) }
    store.perform(changing: { $0.value = 4 }) { _ = projection.dispatch(()) }
    #expect(
      collected.texts() == [
        """
        this step changed the state, which was not declared
          value: expected 1, got 2
        """,
        """
        the state after this step is not as expected
          value: expected 4, got 3
        """,
      ])
    #expect(throws: Overdrawn(by: 1)) { try store.perform { throw Overdrawn(by: 1) } }
    #expect(collected.texts() == [])
  }

  @Test func aStateThatIsOneValue() throws {
    let store = try TestStore(
      initial: 0.0, reducer: Reducer<Double, Double> { $1 = $0 }, report: collected.note)
    store.send(.infinity) { $0 = 1 }
    #expect(
      collected.texts() == [
        """
        the state after inf is not as expected
          state: expected 1.0, got inf
        """
      ])
  }
}
