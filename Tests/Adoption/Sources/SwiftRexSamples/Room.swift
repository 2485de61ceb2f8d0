import StoreCore
import StoreUnits

// README 1.x, "State-Driven Effects": a socket is open while the state says so, and no action closes it.

func room(connecting connect: @escaping @Sendable (Int) -> Socket) -> Handler<RoomAction, RoomState> {
  .compose {
    Reducer.on(\.join) { $0.joinedRoom = $1 }
    Reducer.on(\.leave) { room, _ in room.joinedRoom = nil }
    Reducer.on(\.received) { $0.messages.append($1) }
    Middleware.supervising("socket") { state in
      guard let id = state.joinedRoom else { return [] }
      return [
        Supervised(id, inbox: String.self) { context, sent in
          let socket = connect(id)
          socket.onMessage { context.send(.received($0)) }
          for await text in sent { socket.write(text) }
          socket.close()
        }
      ]
    }
  }
}
