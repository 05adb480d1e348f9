import BuiltInMachines
import Foundation
import GroveClient
import OrderedJSON

// The Swift of docs/clients.md and docs/network.md, word for word.

func payAndFollow(_ client: Client) async throws {
    let reply = try await client.send(to: "order/o-1", event: ["type": "pay", "amount": 10])
    print(reply.version)
    let outputs = try await client.subscribe(
        SubscriptionRequest(machine: "order", kinds: [.output]))
    for try await record in outputs {
        print(record.name, record.data ?? .null)
    }
}

func makeSecureClient() -> Client {
    let server = ServerAddress.tls(host: "grove.example", port: 7443)
    return Client(options: ClientOptions(server: server, tls: TLSOptions(ca: "/etc/grove/ca.pem")))
}

func consume(with client: Client, after cursor: String?) async throws -> String? {
    let start = cursor.map { SubscriptionRequest.Start.after($0) } ?? .first
    let records = try await client.subscribe(SubscriptionRequest(machine: "order", start: start))
    for try await record in records {
        print(record.name)
        return record.cursor
    }
    return cursor
}

@MainActor
func showCounter(_ client: Client) async throws {
    let counter = RemoteTransducer<Counter.State, Counter.Event, Counter.Output>(
        "counter/a", client: client, onOutput: { output in print("now", output) })
    try await counter.send(.increment)
    print(counter.state?.count ?? 0, counter.status)
}

struct Shop {
    static func main() async throws {
        let text = try String(contentsOfFile: "shop.token", encoding: .utf8)
        let token = ClientToken(text.trimmingCharacters(in: .whitespacesAndNewlines))
        let client = Client(
            options: ClientOptions(
                server: .tls(host: "localhost", port: 7443), tls: TLSOptions(ca: "ca.pem"),
                token: token))
        do {
            let reply = try await client.send(
                to: "order/o-2", event: ["type": "place", "total": 20], reply: .state)
            print("version", reply.version, reply.state ?? .null)
            _ = try await client.get("counter/a")
        } catch {
            print(error)
        }
        await client.close()
    }
}
