import BuiltInMachines
import GroveClient
import GroveTestSupport
import Observation
import OrderedJSON
import Testing

@MainActor
@Suite("RemoteTransducer", .ownThreads, .timeLimit(.minutes(2)))
struct RemoteTransducerTests {
    private static let name = "counter/a"

    private nonisolated static func output(_ number: Int) -> String {
        """
        {"sub":"s1","cur":"o\(number)","to":"counter/a","v":\(number),"kind":"output",\
        "data":\(number)}
        """
    }

    private nonisolated static func state(_ number: Int, snapshot: Bool = false) -> String {
        let more = snapshot ? #""snapshot":true"# : #""cur":"s\#(number)""#
        return """
            {"sub":"s1",\(more),"to":"counter/a","v":\(number),"kind":"state",\
            "after":{"count":\(number)}}
            """
    }

    private nonisolated static func lifecycle(_ word: String) -> String {
        #"{"sub":"s1","cur":"l","to":"counter/a","v":9,"kind":"lifecycle","lifecycle":"\#(word)"}"#
    }

    private nonisolated static func mark(_ name: String, _ cursor: String) -> String {
        #"{"sub":"s1","cur":"\#(cursor)","mark":"\#(name)"}"#
    }

    private func counter(_ server: FakeServer) -> RemoteCounter {
        RemoteCounter(Self.name, client: Client(options: options(server, retry: RetryPolicy())))
    }

    @Test func `a remote machine shows a real instance and its changes`() async throws {
        let server = try ServedFile()
        let client = Client(server: server.address)
        _ = try await client.send(to: Self.name, event: ["type": "add", "amount": 5])
        let counter = RemoteCounter(Self.name, client: client)
        #expect(counter.host.status == .connecting && counter.host.state == nil)
        try await counter.wait { $0.host.status == .live }
        #expect(counter.host.state?.count == 5 && counter.host.version == 1)
        for _ in 0..<5 { try await counter.host.send(.increment) }
        let reply = try await counter.host.send(.add(amount: 10), expect: .version(6))
        #expect(reply.version == 7)
        try await counter.wait { $0.host.state?.count == 20 }
        #expect(counter.outputs == [6, 7, 8, 9, 10, 20])
        #expect(counter.host.outputs == [9, 10, 20])
        do throws(ClientError) {
            try await counter.host.send(.reset, expect: .absent)
            Issue.record("the expectation didn't hold")
        } catch {
            #expect(error.code == "VERSION_CONFLICT")
        }
        try await client.stop(Self.name)
        try await counter.wait { $0.host.isDone }
        #expect(counter.host.state?.count == 20)
        let late = RemoteCounter(Self.name, client: client)
        try await late.wait { $0.host.isDone }
        #expect(late.host.state?.count == 20 && late.outputs.isEmpty)
        try await client.delete(Self.name)
        try await counter.wait { $0.host.state == nil }
        #expect(!counter.host.isDone && counter.host.gaps == 0)
    }

    @Test func `an absent instance has no state until it is created`() async throws {
        let server = try ServedFile()
        let counter = RemoteCounter(Self.name, client: Client(server: server.address))
        try await counter.wait { $0.host.status == .live }
        #expect(counter.host.state == nil && counter.host.version == nil)
        try await counter.host.send(.increment)
        try await counter.wait { $0.host.state?.count == 1 }
        #expect(counter.outputs == [1])
    }

    @Test func `a remote machine resumes after the last record, or reports a gap`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                let subscribe = try connection.request("subscribe")
                let select = subscribe["select"]
                try connection.require(
                    select?["machine"] == "counter" && select?["instance"] == "a", "\(subscribe)")
                try connection.reply(subscribe, #""cur":"c0""#)
                try connection.write(Self.state(1, snapshot: true))
                try connection.write(Self.mark("snapshot", "c1"))
                try connection.write(Self.output(2))
                try connection.write(Self.state(2))
            },
            { connection in
                try connection.greet()
                let again = try connection.request("subscribe")
                try connection.require(again["from"] == ["after": "s2"], "\(again)")
                try connection.reply(again, #""cur":"c0""#)
                try connection.write(Self.output(3))
                try connection.write(Self.state(3))
                try connection.write(Self.mark("live", "c4"))
                try connection.awaitClose()
            })
        let counter = counter(server)
        let statuses = Statuses(of: counter)
        try await counter.wait { $0.host.status == .live }
        #expect(counter.host.state?.count == 3 && counter.outputs == [2, 3])
        counter.drop()
        try await server.finish()
        #expect(statuses.hasSeenInterruption)
    }

    @Test func `a snapshot says whether the instance is done`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            let state = Self.state(1, snapshot: true)
            try connection.write(String(state.dropLast()) + #","done":true}"#)
            try connection.write(Self.mark("snapshot", "c1"))
            try connection.write(Self.mark("live", "c1"))
            // A snapshot that starts again may differ: the instance was created again.
            _ = try connection.request("ping")
            try connection.write(state)
            try connection.write(Self.mark("snapshot", "c2"))
            // No other request is made.
            try connection.require(try connection.line()?.contains("unsubscribe") == true, "")
        }
        let counter = counter(server)
        try await counter.wait { $0.host.status == .live }
        #expect(counter.host.isDone && counter.host.state?.count == 1)
        _ = counter.host.client.submit(Request("ping"))
        try await counter.wait { !$0.host.isDone }
        #expect(counter.host.state?.count == 1)
        counter.drop()
        try await server.finish()
    }

    @Test func `after a gap the state is right, and stays so`()
        async throws
    {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            try connection.write(Self.mark("snapshot", "c1"))
            try connection.write(
                #"{"sub":"s1","cur":"c5","mark":"gap","from":"c1","to":"c5","reason":"old"}"#)
            try connection.refuse(try connection.request("get"), "OVERLOADED", retry: true)
            try connection.reply(
                try connection.request("get"), #""v":7,"state":{"count":7},"done":false"#)
            _ = try connection.request("ping")
            for number in [6, 7, 8] {
                try connection.write(Self.output(number))
                try connection.write(Self.state(number == 7 ? 70 : number))
            }
            try connection.write(Self.lifecycle("done"))
            try connection.write(Self.mark("live", "c9"))
            try connection.awaitClose()
        }
        let counter = counter(server)
        try await counter.wait { $0.host.gaps == 1 && $0.host.version != nil }
        #expect(counter.host.state?.count == 7)
        _ = counter.host.client.submit(Request("ping"))
        try await counter.wait { $0.host.status == .live }
        #expect(counter.outputs == [6, 7, 8] && counter.host.isDone)
        #expect(counter.host.version == 70)
        counter.drop()
        try await server.finish()
    }

    @Test(arguments: ["CURSOR_TOO_OLD", "CURSOR_FOREIGN"])
    func `an invalid cursor restarts the subscription`(code: String) async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
                try connection.write(Self.mark("snapshot", "c1"))
            },
            { connection in
                try connection.greet()
                try connection.refuse(try connection.request("subscribe"), code)
                let anew = try connection.request("subscribe")
                try connection.require(anew["snapshot"] == true, "\(anew)")
                let name = anew["sub"]?.string ?? ""
                try connection.reply(anew, #""cur":"c0""#)
                try connection.write(
                    Self.mark("snapshot", "c1").replacingName("s1", by: name))
                try connection.write(Self.mark("live", "c1").replacingName("s1", by: name))
                try connection.awaitClose()
            })
        let counter = counter(server)
        try await counter.wait { $0.host.gaps == 1 && $0.host.status == .live }
        counter.drop()
        try await server.finish()
    }

    @Test func `a value of another type ends it, with a reason`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            try connection.write(Self.output(1).replacingName(#""data":1"#, by: #""data":"x""#))
            try connection.awaitClose()
        }
        let counter = counter(server)
        try await counter.wait { counter in
            guard case .ended(.undecodable) = counter.host.status else { return false }
            return true
        }
        #expect(counter.outputs.isEmpty)
        await counter.host.client.close()
        try await server.finish()
    }

    @Test func `cancelling ends it, and its subscription on the server`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            try connection.write(Self.mark("snapshot", "c1"))
            try connection.write(Self.mark("live", "c1"))
            _ = try connection.request("unsubscribe")
        }
        let counter = counter(server)
        try await counter.wait { $0.host.status == .live }
        counter.host.cancel()
        try await counter.wait { $0.host.status == .ended(nil) }
        try await server.finish()
    }

    @Test func `releasing it ends it, and its subscription on the server`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            try connection.write(Self.mark("live", "c1"))
            _ = try connection.request("unsubscribe")
        }
        let counter = counter(server)
        weak let host = counter.host
        try await counter.wait { $0.host.status == .live }
        counter.drop()
        #expect(host == nil)
        try await server.finish()
    }

    @Test func `a refusal ends it, and so does a policy that gives up`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.refuse(try connection.request("subscribe"), "LIMIT")
        }
        let counter = counter(server)
        try await counter.wait { counter in
            guard case .ended(.server(let error)) = counter.host.status else { return false }
            return error.code == "LIMIT"
        }
        try await server.finish()
        // No server greets any more.
        let impatient = RemoteCounter(
            Self.name, client: Client(options: options(server, attemptsMax: 2)))
        try await impatient.wait { counter in
            guard case .ended(.unavailable) = counter.host.status else { return false }
            return true
        }
    }
}

/// The statuses that observation has reported.
@MainActor
private final class Statuses {
    private(set) var hasSeenInterruption = false

    init(of counter: RemoteCounter) { observe(counter) }

    private func observe(_ counter: RemoteCounter) {
        withObservationTracking {
            if case .interrupted = counter.host.status { hasSeenInterruption = true }
        } onChange: {
            MainActor.assumeIsolated { self.willChange(counter) }
        }
    }

    /// Observation reports a change before it happens; read the value afterwards.
    private func willChange(_ counter: RemoteCounter) {
        Task { @MainActor in
            guard counter.isFollowing else { return }
            self.observe(counter)
        }
    }
}

extension String {
    fileprivate func replacingName(_ name: String, by other: String) -> String {
        replacing(name, with: other, maxReplacements: 1)
    }
}
