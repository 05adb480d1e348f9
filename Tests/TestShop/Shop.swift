import Grove

/// An application for the tests: one machine, a handler for its effects, and two commands. One of
/// the commands has the name of a Grove command.
@main struct TestShop: GroveApplication {
    static let definitions = [
        Definition(Cart.self, named: "cart", version: "1.0.0", handlers: ["price"]),
        Definition(Boom.self, named: "boom", version: Boom.version, handlers: ["trap"]),
        Bill.definition,
    ]
    static let abstract = "Carts for the tests."
    static let version = "2.5.0"
    static let subcommands: [any AsyncParsableCommand.Type] = [Stock.self, Ping.self]
    static let defaults = ["max-line": "5000"]

    static func handlers() async throws -> EffectHandlers {
        var handlers = EffectHandlers()
        handlers.register("price") { (item: String, _) in item.utf8.count * 10 }
        handlers.register("trap") { (count: Int, _) in [Int](repeating: 0, count: count)[1] }
        return handlers
    }
}

/// `test-shop stock`
struct Stock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say what there is.")

    @Option(help: "How many.") var count = 1

    func run() async throws {
        guard count > 0 else { throw ExitCode(3) }
        print(String(repeating: "apple\n", count: count), terminator: "")
    }
}

/// `test-shop ping`, which replaces Grove's command.
struct Ping: AsyncParsableCommand {
    func run() async throws { print("pong") }
}

/// The items that a customer wants to buy.
enum Cart: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable {
        var items: [String] = []
        var total = 0
    }

    enum Event: Codable, Sendable {
        case add(String)
        case priced(Int)
    }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .add(let item):
            state.items.append(item)
            return .perform("price", id: "price", argument: item, then: "priced")
        case .priced(let price):
            state.total += price
            return nil
        }
    }
}
