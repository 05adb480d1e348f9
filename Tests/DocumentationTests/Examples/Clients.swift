import BuiltInMachines
import GroveClient
import OrderedJSON

// The Swift of docs/clients.md, word for word.

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
