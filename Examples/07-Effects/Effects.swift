import Grove
import GroveClient

/// An invoice that is mailed. Mailing is an effect: it is stored with the step that asks for it,
/// a handler performs it after the commit, and again after a crash.
enum Invoice: EffectTransducer, InitialState {
    enum State: NonTerminal, Codable { case open, mailing, mailed }
    enum Event: Codable {
        case mail(to: String)
        case mailed(receipt: String)
        case failed(reason: String)
    }
    enum Output: Codable {
        case mailing(to: String)
        case mailed(receipt: String)
        case failed(reason: String)
    }

    static var initialState: State { .open }

    static func update(_ state: inout State, event: Event) throws -> (Self.Effect?, Output) {
        switch (state, event) {
        case (.open, .mail(let address)):
            state = .mailing
            let mail = Effect.perform(
                "mail", id: "mail", argument: Letter(address: address), then: "mailed",
                retry: RetryPolicy(attemptsMax: 3, interval: .milliseconds(10)))
            return (mail, .mailing(to: address))
        case (.mailing, .mailed(let receipt)):
            state = .mailed
            return (nil, .mailed(receipt: receipt))
        case (.mailing, .failed(let reason)):
            state = .open
            return (nil, .failed(reason: reason))
        default: throw Rejection("an invoice that is \(state) doesn't take that")
        }
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? {
        .failed(reason: "\(failure.error)")
    }
}

struct Letter: Codable, Sendable {
    var address: String
}

struct Receipt: Codable, Sendable {
    var receipt: String
}

struct Closed: Error {}

/// A fake post office, which is closed at the first attempt.
func post(_ letter: Letter, _ context: EffectHandlerContext) async throws -> Receipt {
    guard letter.address.contains("@") else { throw PermanentFailure("that is no address") }
    guard context.attempt > 1 else { throw Closed() }
    // The key is the same at every attempt, so the receiver recognizes a repeat.
    return Receipt(receipt: "\(letter.address), try \(context.attempt)")
}

@main struct Program {
    static func main() async throws {
        var handlers = EffectHandlers()
        handlers.register("mail", post)
        let invoice = Definition(
            Invoice.self, named: "invoice", version: "1.0.0", handlers: ["mail"])
        try await withServer([invoice], handlers: handlers) { address in
            let client = Client(server: .tcp(host: "127.0.0.1", port: address.port))
            // From the first record on, so it doesn't matter that the sends come after this.
            let outputs = try await client.subscribe(
                SubscriptionRequest(machine: "invoice", kinds: [.output], start: .first))
            for (name, place) in [("invoice/1", "ann@example.org"), ("invoice/2", "nowhere")] {
                // The reply waits until the effects of the event have ended.
                _ = try await client.send(
                    to: name, event: ["type": "mail", "to": .string(place)], settle: .own)
                print(name, try await client.get(name).state)
            }
            var seen = 0
            for try await record in outputs {
                print(record.name, "v\(record.version ?? 0)", record.data ?? .null)
                seen += 1
                if seen == 4 { break }
            }
        }
    }
}
