import Dispatch
import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Synchronization
import Testing

/// `grove batch` with a server that ends in the middle, or postpones it: the events of one
/// instance keep their order, nothing is applied twice, and unknown outcomes are reported.
@Suite("grove batch and a server that ends", .ownThreads, .timeLimit(.minutes(4)))
struct ToolBatchRestartTests {
    /// A line for each instance, with the events e0, e1, …, and keys if requested.
    private func input(_ names: [String], keyed: Bool) -> String {
        names.enumerated().map { number, name in
            let key = keyed ? #","dedup":"k-\#(number)""# : ""
            return #"{"to":"\#(name)","event":"e\#(number)"\#(key)}"# + "\n"
        }.joined()
    }

    @Test func `a lost request with keys is repeated, and later ones after it`()
        async throws
    {
        let server = try FakeServer(
            BatchScript.asked(),
            { connection in
                try connection.greet()
                try BatchScript.accept(BatchScript.next(connection, count: 2), connection)
                _ = try BatchScript.next(connection, count: 2)
            },
            { connection in
                try connection.greet()
                for events in [["e2", "e3"], ["e4", "e5"]] {
                    let batch = try BatchScript.next(connection, count: 2)
                    try connection.require(batch.events == events, "\(batch)")
                    try connection.require(batch.items.allSatisfy { $0["dedup"] != nil }, "no key")
                    try BatchScript.accept(batch, connection)
                }
                try connection.awaitClose()
            })
        let outcome = try await Tool.run(
            "batch", "-", "--chunk", "2", server: server.address,
            input: input(Array(repeating: "counter/a", count: 6), keyed: true))
        #expect(outcome.code == 0 && outcome.lines == ["6 lines: 6 applied"], "\(outcome)")
        try await server.finish()
    }

    @Test(arguments: [-1, 2, 1 << 40])
    func `an error about an unknown item is one of the whole request`(
        index: Int
    ) async throws {
        let server = try FakeServer(
            BatchScript.asked(),
            { connection in
                try connection.greet()
                try connection.refuse(
                    connection.request("batch"), "EVENT_REJECTED",
                    more: #","data":{"index":\#(index)}"#)
                try connection.awaitClose()
            })
        let outcome = try await Tool.run(
            "batch", "-", "--atomic", server: server.address,
            input: input(["counter/a", "counter/a"], keyed: false))
        #expect(outcome.code == 1 && outcome.notes.hasPrefix("lines 1 to 2: not done:"))
        #expect(outcome.lines == ["2 lines: 0 applied, 2 refused"], "\(outcome)")
        try await server.finish()
    }

    @Test(arguments: [false, true])
    func `a lost request without keys is reported, and no later one is sent`(
        isJSON: Bool
    ) async throws {
        let server = try FakeServer(
            BatchScript.asked(),
            { connection in
                try connection.greet()
                try BatchScript.accept(BatchScript.next(connection, count: 2), connection)
                let lost = try BatchScript.next(connection, count: 2)
                try connection.require(lost.events == ["e2", "e3"], "\(lost)")
                // Requests about other instances needn't wait for it.
                let other = try BatchScript.next(connection, count: 2)
                try connection.require(other.events == ["e4", "e5"], "\(other)")
                try BatchScript.accept(other, connection)
            })
        let names = ["a", "a", "a", "a", "b", "b", "c", "a", "d", "d"].map { "counter/\($0)" }
        let flags = ["batch", "-", "--chunk", "2"] + (isJSON ? ["--json"] : [])
        let outcome = try await Tool.run(
            flags, server: server.address, input: input(names, keyed: false))
        #expect(outcome.code == 75)
        #expect(outcome.notes.contains("lines 3 to 4: outcome unknown:\nerror: CONNECTION_LOST"))
        #expect(outcome.notes.contains("these lines have no keys: they were done together, or"))
        #expect(outcome.notes.contains("lines 7 to 10: not sent"))
        let summary = "10 lines: 4 applied, 2 unknown, 4 not sent"
        if isJSON {
            // A line each, in their order.
            #expect(
                outcome.lines.map { $0.hasPrefix(#"{"error""#) } == [
                    false, false, true, true, false, false,
                ])
            #expect(outcome.notes.hasSuffix(summary + "\n"))
        } else {
            #expect(outcome.lines == [summary])
        }
        try await server.finish()
    }

    @Test func `a postponed request is repeated, and later ones of its instances wait`()
        async throws
    {
        let server = try FakeServer(
            BatchScript.asked(),
            { connection in
                try connection.greet()
                let first = try BatchScript.next(connection, count: 1)
                let other = try BatchScript.next(connection, count: 1)
                try connection.require(other.events == ["e1"], "\(other)")
                try BatchScript.accept(other, connection)
                try connection.refuse(first.request, "OVERLOADED", retry: true)
                for event in ["e0", "e2"] {
                    let batch = try BatchScript.next(connection, count: 1)
                    try connection.require(batch.events == [event], "\(batch)")
                    try BatchScript.accept(batch, connection)
                }
                try connection.awaitClose()
            })
        let names = ["counter/a", "counter/b", "counter/a"]
        let outcome = try await Tool.run(
            "batch", "-", "--chunk", "1", server: server.address,
            input: input(names, keyed: false))
        #expect(outcome.code == 0 && outcome.lines == ["3 lines: 3 applied"], "\(outcome)")
        try await server.finish()
    }

    @Test func `a server that doesn't come back is reported in time, with advice`()
        async throws
    {
        let server = try FakeServer(
            BatchScript.asked(),
            { connection in
                try connection.greet()
                _ = try BatchScript.next(connection, count: 1)
            })
        let outcome = try await Tool.run(
            "batch", "-", "--chunk", "1", "--timeout", "1s", server: server.address,
            input: input(["counter/a", "counter/a"], keyed: true))
        #expect(outcome.code == 75)
        #expect(outcome.notes.contains("line 1: outcome unknown:\nerror: NO_REPLY"))
        #expect(outcome.notes.contains("send the same file again, and nothing is done twice"))
        #expect(outcome.notes.contains("line 2: not sent"))
        #expect(outcome.lines == ["2 lines: 0 applied, 1 unknown, 1 not sent"])
        // No server from the start: reported at once.
        let away = try await Tool.run(
            "batch", "-", server: .tcp(host: "127.0.0.1", port: 1), input: "counter/a x\n")
        #expect(away.code == 69 && away.notes.hasPrefix("error: UNREACHABLE"))
    }

    // MARK: The real server

    private static let instances = (0..<5).map { "counter/i-\($0)" }
    private static let rounds = 1_500

    /// Events whose order shows in the history: every instance adds 1, 2, 3, …
    private static let adding = (1...rounds).map { amount in
        instances.map { #"\#($0) {"type":"add","amount":\#(amount)}"# + "\n" }.joined()
    }.joined()

    /// The amounts that an instance has added, in the order of its versions.
    private func amounts(_ name: String, _ client: Client) async throws -> [Int64] {
        var amounts: [Int64] = []
        for try await step in client.steps(of: name) {
            amounts.append(step.event["amount"]?.integer ?? -1)
        }
        return amounts
    }

    /// A run of the tool whose lines are read as they come, so that it never blocks on them.
    private final class Run: Sendable {
        private let tool: ToolProcess
        private let lines = Mutex([String]())
        private let isOver = DispatchGroup()

        init(_ flags: [String], _ server: ServedFile) throws {
            tool = try ToolProcess(
                ["batch", "-", "--json", "--chunk", "40", "--timeout", "60s"] + flags,
                server: server.address)
            isOver.enter()
            Thread.detachNewThread { [self] in
                while let line = tool.line() { lines.withLock { $0.append(line) } }
                isOver.leave()
            }
            Thread.detachNewThread { [self] in
                tool.write(adding)
                tool.endInput()
            }
        }

        /// The number of applied events that the tool has reported.
        var applied: Int { lines.withLock { $0.count { $0.contains(#""v":"#) } } }

        /// Waits until this number of events is applied, or all of them.
        func wait(for count: Int) async throws {
            let goal = min(count, instances.count * rounds)
            while lines.withLock({ $0.count }) < goal {
                try await Task.sleep(for: .milliseconds(1))
            }
        }

        /// Waits for its end.
        func outcome() async -> Tool.Outcome {
            await onOwnThread { [self] in
                isOver.wait()
                return tool.outcome()
            }
        }
    }

    @Test func `killed and restarted under a file with keys: all of it, once and in order`()
        async throws
    {
        var random = SeededRandom(seed: 11)
        let server = try ServedFile()
        let run = try Run(["--dedup", "file-1"], server)
        for round in 1...4 {
            let count = Int.random(in: 100...1_200, using: &random)
            try await run.wait(for: run.applied + count)
            if round == 3 { #expect(server.stop() == 0) } else { server.kill() }
            try server.start()
        }
        let outcome = await run.outcome()
        #expect(outcome.code == 0, "\(outcome.notes)")
        #expect(run.applied == Self.instances.count * Self.rounds)
        let client = Client(server: server.address)
        for name in Self.instances {
            #expect(try await amounts(name, client) == (1...Int64(Self.rounds)).map { $0 })
        }
    }

    @Test func `killed under a file without keys: nothing twice, unknown ones reported`()
        async throws
    {
        // Sometimes no request is outstanding at that moment, and nothing is lost.
        for attempt in 1...20 {
            let server = try ServedFile()
            let run = try Run([], server)
            try await run.wait(for: 100 * attempt)
            server.kill()
            try server.start()
            let outcome = await run.outcome()
            let applied = run.applied
            let client = Client(server: server.address)
            var stored = 0
            for name in Self.instances {
                let amounts = try await amounts(name, client)
                #expect(amounts == amounts.indices.map { Int64($0 + 1) }, "\(name)")
                stored += amounts.count
            }
            guard outcome.code != 0 else {
                #expect(stored == applied && applied == Self.instances.count * Self.rounds)
                continue
            }
            #expect(outcome.code == 75, "\(outcome.notes)")
            let unknown = "lines \(applied + 1) to \(applied + 40): outcome unknown:"
            #expect(outcome.notes.contains(unknown), "\(outcome.notes)")
            #expect(stored == applied || stored == applied + 40, "together, or not at all")
            return
        }
        Issue.record("nothing was under way at any kill")
    }
}
