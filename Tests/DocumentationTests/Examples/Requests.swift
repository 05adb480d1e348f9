import Grove

enum Expense: EffectTransducer, InitialState {
    enum State: NonTerminal, Codable { case open, paying, paid, refused }
    enum Event: Codable {
        case pay(amount: Int)
        case answered(HTTPResponse)
        case failed(reason: String)
    }
    enum Output: Codable {
        case paying, paid, refused
        case failed(reason: String)
    }

    static var initialState: State { .open }

    static func update(_ state: inout State, event: Event) throws -> (Self.Effect?, Output) {
        switch (state, event) {
        case (.open, .pay(let amount)):
            state = .paying
            // 402 says that there is no money: an answer, and no failure.
            let request = HTTPRequest(
                method: "POST", url: "https://pay.example/charges",
                body: ["amount": .integer(Int64(amount))], acceptStatus: [402])
            let charge = Effect.perform(
                "http", id: "charge", argument: request, then: "answered",
                retry: RetryPolicy(attemptsMax: 5))
            return (charge, .paying)
        case (.paying, .answered(let response)):
            state = response.status == 402 ? .refused : .paid
            return (nil, state == .paid ? .paid : .refused)
        case (.paying, .failed(let reason)):
            state = .open
            return (nil, .failed(reason: reason))
        default:
            throw Rejection("an expense that is \(state) doesn't take that")
        }
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? {
        .failed(reason: "\(failure.error)")
    }
}
