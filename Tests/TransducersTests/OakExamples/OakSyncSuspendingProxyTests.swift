import Testing
import Transducers

/// The proxy whose senders wait.
@Suite("SyncSuspendingProxy", .timeLimit(.minutes(1)))
struct OakSyncSuspendingProxyTests {
    enum Store: Transducer {
        struct State: Terminable {
            var items: [String] = []
            var isTerminal: Bool { items.last == "close" }
        }
        typealias Event = String
        typealias Proxy = Transducers.SyncSuspendingProxy<String>
        static func update(_ state: inout State, event: String) throws -> [String] {
            guard event != "bad" else { throw Rejection("bad items aren't taken") }
            state.items.append(event)
            return state.items
        }
    }

    @Test func `it is made without arguments, and equals itself alone`() {
        let (one, two) = (SyncSuspendingProxy<Int>(), SyncSuspendingProxy<Int>())
        #expect(one == one)
        #expect(one != two)
        #expect(one.id != two.id)
    }

    @Test func `send returns when the output has been delivered`() async throws {
        let proxy = Store.Proxy()
        let order = Notes<String>()
        let task = Task {
            try await Store.run(
                initialState: .init(), proxy: proxy,
                output: Callback { items in
                    for _ in 1...10 { await Task.yield() }
                    order.add("took \(items.count)")
                })
        }
        await proxy.send("a")
        order.add("sent a")
        await proxy.send("b")
        order.add("sent b")
        await proxy.send("close")
        #expect(try await task.value == ["a", "b", "close"])
        #expect(order.values == ["took 1", "sent a", "took 2", "sent b", "took 3"])
    }

    @Test func `several events are made one after the other`() async throws {
        let proxy = Store.Proxy()
        let outputs = Notes<[String]>()
        let task = Task {
            try await Store.run(
                initialState: .init(), proxy: proxy, output: Callback { outputs.add($0) })
        }
        await proxy.send(
            events: { "\(outputs.values.count)" }, { "\(outputs.values.count)" }, { "close" })
        #expect(try await task.value == ["0", "1", "close"])
    }

    @Test func `its input sends in the same way, from many tasks`() async throws {
        let proxy = Store.Proxy()
        let task = Task { try await Store.run(initialState: .init(), proxy: proxy) }
        let input = proxy.input
        await withTaskGroup(of: Void.self) { group in
            for number in 1...50 { group.addTask { await input.send("\(number)") } }
        }
        await input.send("close")
        let items = try await task.value
        #expect(items.count == 51)
        #expect(Set(items.dropLast()) == Set((1...50).map { "\($0)" }))
    }

    @Test func `send returns the result of the event`() async throws {
        let proxy = Store.Proxy()
        let task = Task { try await Store.run(initialState: .init(), proxy: proxy) }
        #expect(await proxy.send("a") == .applied)
        #expect(await proxy.send("bad") == .refused(Rejection("bad items aren't taken")))
        #expect(await proxy.send("close") == .applied)
        #expect(await proxy.send("late") == .notApplied(.ended))
        #expect(try await task.value == ["a", "close"])
    }

    @Test func `senders that wait are answered when the machine ends`() async throws {
        let proxy = Store.Proxy()
        async let first = proxy.send("close")
        async let second = proxy.send("close")
        let result = try await Store.run(initialState: .init(), proxy: proxy)
        #expect(result == ["close"])
        let answers = await [first, second]
        #expect(answers.contains(.applied))
        #expect(answers.contains(.notApplied(.ended)))
    }

    @Test func `senders that wait are answered when the machine is cancelled`() async throws {
        let proxy = Store.Proxy()
        async let verdict = proxy.send("a")
        for _ in 1...10 { await Task.yield() }
        proxy.cancel()
        let answer = await verdict
        #expect(answer == .notApplied(.cancelled) || answer == .notApplied(.ended))
    }

    @Test func `an output callback that sends to its own machine doesn't wait for itself`()
        async throws
    {
        let proxy = Store.Proxy()
        let verdicts = Notes<SendVerdict>()
        let task = Task {
            try await Store.run(
                initialState: .init(), proxy: proxy,
                output: Callback { items in
                    if items.count == 1 { verdicts.add(await proxy.send("close")) }
                })
        }
        #expect(await proxy.send("a") == .applied)
        #expect(try await task.value == ["a", "close"])
        #expect(verdicts.values == [.queued])
    }
}
