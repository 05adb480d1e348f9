import Grove
import GroveClient

/// A hosted door: any number of named instances, each step stored before it is answered.
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

@main struct Program {
    static func main() async throws {
        let door = Definition(Door.self, named: "door", version: "1.0.0")
        try await withServer([door]) { address in
            let client = Client(server: .tcp(host: "127.0.0.1", port: address.port))
            for machine in try await client.definitions() { print("hosts:", machine.name) }

            let first = try await client.send(to: "door/front", event: "open", reply: .full)
            print("version \(first.version):", first.outputs)
            do {
                _ = try await client.send(to: "door/front", event: "open")
            } catch {
                print("refused:", error)
            }
            // The same key means the same event: it isn't applied twice.
            for _ in 1...2 {
                let reply = try await client.send(to: "door/back", event: "open", dedup: "k-1")
                print("version \(reply.version), repeated: \(reply.isDuplicate)")
            }
            for try await instance in client.instances() {
                print(instance.name, try await client.get(instance.name).state)
            }
        }
    }
}
