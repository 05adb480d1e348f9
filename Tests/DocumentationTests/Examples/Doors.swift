import Grove

enum Door: Transducer, InitialState {
    enum State: NonTerminal, Codable { case open, closed }
    enum Event: Codable { case open, close }
    enum Output: Codable { case opened, closed }

    static var initialState: State { .closed }

    static func update(_ state: inout State, event: Event) throws -> Output {
        switch (state, event) {
        case (.closed, .open):
            state = .open
            return .opened
        case (.open, .close):
            state = .closed
            return .closed
        case (.open, .open): throw Rejection("it is open", accepts: ["close"])
        case (.closed, .close): throw Rejection("it is closed", accepts: ["open"])
        }
    }
}

struct Doors {
    static func main() async throws {
        try await serve([Definition(Door.self, named: "door", version: "1.0.0")])
    }
}

/// The definition, as the page about machines shows it.
let door = Definition(Door.self, named: "door", version: "1.0.0")
