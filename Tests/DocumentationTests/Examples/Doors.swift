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

struct Doors: GroveApplication {
    static let definitions = [Definition(Door.self, named: "door", version: "1.0.0")]
}

/// The definition, as the page about machines shows it.
let door = Definition(Door.self, named: "door", version: "1.0.0")

struct Letter: Codable, Sendable {
    var address: String
    var text: String
}

struct Receipt: Codable, Sendable {
    var receipt: String
}

enum Invoice: EffectTransducer, InitialState {
    enum State: NonTerminal, Codable { case open, mailing, mailed }
    enum Event: Codable {
        case mail(to: String)
        case mailed(receipt: String)
        case failed(reason: String)
    }
    enum Output: Codable {
        case mailing
        case mailed(receipt: String)
        case failed(reason: String)
    }

    static var initialState: State { .open }

    static func update(_ state: inout State, event: Event) throws -> (Self.Effect?, Output) {
        switch (state, event) {
        case (.open, .mail(let address)):
            state = .mailing
            let letter = Letter(address: address, text: "Please pay.")
            let mail = Effect.perform(
                "mail", id: "mail", argument: letter, then: "mailed",
                retry: RetryPolicy(attemptsMax: 5), timeout: .seconds(10))
            return (mail, .mailing)
        case (.mailing, .mailed(let receipt)):
            state = .mailed
            return (nil, .mailed(receipt: receipt))
        case (.mailing, .failed(let reason)):
            state = .open
            return (nil, .failed(reason: reason))
        default:
            throw Rejection("an invoice that is \(state) doesn't take that")
        }
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? {
        .failed(reason: "\(failure.error)")
    }
}

struct Invoices {
    static func main() async throws {
        var handlers = EffectHandlers()
        handlers.register("mail") {
            (letter: Letter, context: EffectHandlerContext) -> Receipt in
            try await Post.send(letter, key: context.key)
        }
        try await serve(
            [Definition(Invoice.self, named: "invoice", version: "1.0.0", handlers: ["mail"])],
            handlers: handlers)
    }
}

/// Stands for what sends letters.
enum Post {
    static func send(_ letter: Letter, key: String) async throws -> Receipt {
        Receipt(receipt: "\(letter.address) \(key)")
    }
}

enum Gauge: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable {
        var isListening = false
        var value = 0
    }
    enum Event: Codable, Sendable {
        case listen
        case hush
        case measured(Int)
    }
    struct Env: Sendable {
        var values: @Sendable () -> AsyncStream<Int>
    }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .listen:
            state.isListening = true
            return listening
        case .hush:
            state.isListening = false
            return .cancel(id: "listen")
        case .measured(let value):
            state.value = value
            return nil
        }
    }

    static var listening: TransducerEffect<Self> {
        TransducerEffect(id: "listen") { env, input in
            for await value in env.values() { try await input.enqueue(.measured(value)) }
        }
    }

    static func resume(_ state: State) -> TransducerEffect<Self>? {
        state.isListening ? listening : nil
    }
}

let gauge = Definition(
    Gauge.self, named: "gauge", version: "1.0.0",
    env: { Gauge.Env(values: { Sensor.values() }) })

/// Stands for what measures.
enum Sensor {
    static func values() -> AsyncStream<Int> {
        AsyncStream { $0.finish() }
    }
}

extension Door: DescribedTransducer {
    static var sampleEvents: [Event] { [.open, .close] }
}
