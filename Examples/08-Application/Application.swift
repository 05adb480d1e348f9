import Grove
import GroveClient

/// A command-line program for one machine: `shop serve`, `shop send`, `shop watch` and all other
/// commands of Grove, and an additional one.
@main struct Shop: GroveApplication {
    static let definitions = [Definition(Cart.self, named: "cart", version: "1.0.0")]
    static let abstract = "Carts."
    static let version = "1.0.0"
    static let subcommands: [any AsyncParsableCommand.Type] = [Fill.self]
    static let defaults = ["data": "shop.db"]
}

/// The items that a customer wants to buy.
enum Cart: Transducer, InitialState {
    struct State: NonTerminal, Codable {
        var items: [String: Int] = [:]
    }
    enum Event: Codable { case put(item: String, count: Int), empty }
    enum Output: Codable { case has(count: Int) }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) throws -> Output {
        switch event {
        case .put(let item, let count):
            guard count > 0 else { throw Rejection("put at least one of it") }
            state.items[item, default: 0] += count
        case .empty: state.items = [:]
        }
        return .has(count: state.items.values.reduce(0, +))
    }
}

/// `shop fill CART ITEM…`: the additional command.
struct Fill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Put one of each item into a cart.")

    @Option(help: "The server's port.") var port: UInt16 = 7400
    @Argument(help: "The cart.") var cart: String
    @Argument(help: "The items.") var items: [String]

    func run() async throws {
        let client = Client(server: .tcp(host: "127.0.0.1", port: port))
        for item in items {
            let reply = try await client.send(
                to: "cart/\(cart)",
                event: ["type": "put", "item": .string(item), "count": 1],
                dedup: "fill-\(item)", reply: .full)
            print("\(item):", reply.outputs.first ?? .null)
        }
    }
}
