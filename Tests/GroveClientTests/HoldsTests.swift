import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Suspending over the wire", .ownThreads, .timeLimit(.minutes(3)))
struct HoldsTests {
    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as ClientError {
            return error.code
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [HoldSubject.instance("counter/a"), .machine("counter")])
    func `a suspended instance refuses a client's events until a resume`(subject: HoldSubject)
        async throws
    {
        let server = try ServedFile()
        var options = ClientOptions(server: server.address)
        options.retry = .never
        let client = Client(options: options)
        _ = try await client.send(to: "counter/a", event: "increment")
        let reply = try await client.suspend(subject, reason: "why")
        #expect(reply.bool("changed") == true)
        let refused = await code { _ = try await client.send(to: "counter/a", event: "increment") }
        #expect(refused == "SUSPENDED")
        if case .instance = subject {
            let page = try await client.list(ListFilter(held: .suspended))
            #expect(page.items.map(\.name) == ["counter/a"])
            #expect(page.items.first?.held == "suspended" && page.items.first?.heldReason == "why")
        }
        #expect(try await client.list(ListFilter(held: .setAside)).items.isEmpty)
        #expect(try await client.resume(subject).bool("changed") == true)
        #expect(try await client.resume(subject).bool("changed") == false)
        #expect(try await client.send(to: "counter/a", event: "increment").version == 2)
        let retried = await code { try await client.retry("counter/a") }
        #expect(retried == "BAD_REQUEST")
        #expect(try await client.health().setAside == 0)
        await client.close()
        #expect(server.stop() == 0)
    }
}
