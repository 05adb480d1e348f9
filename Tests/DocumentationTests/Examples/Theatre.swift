import Grove
import GroveClient
import Testing

/// A seat, taken by one person at a time.
enum Seat: Transducer, InitialState {
    enum State: NonTerminal, Codable, Equatable { case free, taken(by: String) }
    enum Event: Codable { case take(by: String), leave }
    enum Output: Codable, Equatable { case taken(by: String), free }

    static var initialState: State { .free }

    static func update(_ state: inout State, event: Event) throws -> Output {
        switch (state, event) {
        case (.free, .take(let name)):
            state = .taken(by: name)
            return .taken(by: name)
        case (.taken, .leave):
            state = .free
            return .free
        case (.taken(let name), .take):
            throw Rejection("the seat is \(name)'s", accepts: ["leave"])
        case (.free, .leave): throw Rejection("the seat is free", accepts: ["take"])
        }
    }
}

struct Theatre: GroveApplication {
    static let definitions = [Definition(Seat.self, named: "seat", version: "1.0.0")]
}

/// A ticket: ordered, then paid or lapsed.
enum Ticket: EffectTransducer, InitialState {
    enum State: NonTerminal, Codable { case new, paying, sold(receipt: String), lapsed }
    enum Event: Codable {
        case order(price: Int)
        case paid(receipt: String)
        case refused(reason: String)
        case lapse
    }
    enum Output: Codable {
        case asked(price: Int)
        case sold(receipt: String)
        case refused(reason: String)
        case lapsed
    }

    static let internalEvents = ["paid", "refused", "lapse"]
    static var initialState: State { .new }

    static func update(_ state: inout State, event: Event) throws -> (Self.Effect?, Output) {
        switch (state, event) {
        case (.new, .order(let price)):
            state = .paying
            let charge = Effect.perform(
                "charge", id: "charge", argument: Charge(amount: price), then: "paid",
                retry: RetryPolicy(attemptsMax: 5), timeout: .seconds(10))
            let lapse = Effect.after(.seconds(900), id: "lapse", .lapse)
            return (.parallel(charge, lapse), .asked(price: price))
        case (.paying, .paid(let receipt)):
            state = .sold(receipt: receipt)
            return (.cancel(id: "lapse"), .sold(receipt: receipt))
        case (.paying, .refused(let reason)):
            state = .new
            return (.cancel(id: "lapse"), .refused(reason: reason))
        case (.paying, .lapse):
            state = .lapsed
            return (.cancel(id: "charge"), .lapsed)
        default: throw Rejection("a ticket that is \(state) doesn't take that")
        }
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? {
        .refused(reason: "\(failure.error)")
    }
}

struct Charge: Codable, Sendable {
    var amount: Int
}

struct Payment: Codable, Sendable {
    var receipt: String
}

struct BoxOffice: GroveApplication {
    static let definitions = [
        Definition(Seat.self, named: "seat", version: "1.0.0"),
        Definition(Ticket.self, named: "ticket", version: "1.0.0", handlers: ["charge"]),
    ]
    static let version = "1.0.0"
    static let subcommands: [any AsyncParsableCommand.Type] = [Sell.self]
    static let defaults = ["data": "box-office.db"]

    static func handlers() async throws -> EffectHandlers {
        var handlers = EffectHandlers()
        handlers.register("charge") {
            (charge: Charge, context: EffectHandlerContext) -> Payment in
            guard charge.amount <= 500 else { throw PermanentFailure("the bank says no") }
            return Payment(receipt: "\(charge.amount) by \(context.key)")
        }
        return handlers
    }
}

/// `box-office sell TICKET PRICE`
struct Sell: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Sell a ticket.")

    @Option(help: "The server's port.") var port: UInt16 = 7400
    @Argument(help: "The ticket.") var ticket: String
    @Argument(help: "The price.") var price: Int

    func run() async throws {
        let client = Client(server: .tcp(host: "127.0.0.1", port: port))
        // The key makes a repeat harmless; the reply waits until the bank has answered.
        _ = try await client.send(
            to: "ticket/\(ticket)", event: ["type": "order", "price": .integer(Int64(price))],
            dedup: "sell-\(ticket)", settle: .own)
        print(try await client.get("ticket/\(ticket)").state)
    }
}

/// A guest's bill. Its first version called the sum `bill`, and knew no tip.
enum Bill: Transducer, InitialState {
    struct State: NonTerminal, Codable, Equatable {
        var sum = 0
        var tip = 0
    }
    enum Event: Codable { case order(price: Int), tip(Int) }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) throws -> State {
        switch event {
        case .order(let price): state.sum += price
        case .tip(let amount): state.tip = amount
        }
        return state
    }

    static func migrate(state: JSONValue, from version: String) throws -> JSONValue {
        guard case .object(var members) = state, let bill = members["bill"] else { return state }
        members["bill"] = nil
        members["sum"] = bill
        return .object(members)
    }
}

@Suite struct TicketTests {
    @Test func `a seat is taken once`() throws {
        var state = Seat.initialState
        #expect(try Seat.update(&state, event: .take(by: "ann")) == .taken(by: "ann"))
        #expect(throws: Rejection.self) { try Seat.update(&state, event: .take(by: "bob")) }
        #expect(state == .taken(by: "ann"))
    }

    @Test(arguments: [(40, "sold"), (501, "new")])
    func `a ticket is sold when the bank agrees`(price: Int64, state: String) async throws {
        let handlers = try await BoxOffice.handlers()
        try await withServer(BoxOffice.definitions, handlers: handlers) { address in
            let client = Client(server: .tcp(host: "127.0.0.1", port: address.port))
            _ = try await client.send(
                to: "ticket/t", event: ["type": "order", "price": .integer(price)], settle: .own)
            #expect("\(try await client.get("ticket/t").state)".contains(state))
        }
    }
}
