import Dispatch
import Synchronization
import Testing

@testable import GroveEffects
@testable import GroveNetwork

@Suite("Lookups of names", .timeLimit(.minutes(5)))
struct NameLookupsTests {
    /// Lookups that block their threads until the test releases them.
    private final class SlowNames: Sendable {
        private let begun = Mutex<[String]>([])
        private let door = DispatchSemaphore(value: 0)
        private let arrivals = AsyncStream<Void>.makeStream()

        var names: [String] { begun.withLock { $0 } }

        func lookUp(_ host: String) throws -> [IPAddress] {
            begun.withLock { $0.append(host) }
            arrivals.continuation.yield()
            door.wait()
            return [IPAddress(192, 0, 2, UInt8(host.utf8.count))]
        }

        /// Waits until `count` more lookups have started.
        func begun(_ count: Int) async {
            var left = count
            for await _ in arrivals.stream {
                left -= 1
                if left == 0 { return }
            }
        }

        func letGo(_ count: Int) { for _ in 0..<count { door.signal() } }
    }

    /// Waits until `count` names are being looked up or wait for a lookup.
    private func settle(_ lookups: NameLookups, _ count: Int) async {
        while await lookups.count != count { await Task.yield() }
    }

    @Test func `requests for one name share one lookup`() async throws {
        let names = SlowNames()
        let lookups = NameLookups(lookUp: names.lookUp)
        let tasks = (1...50).map { _ in Task { try await lookups.addresses(of: "slow") } }
        await names.begun(1)
        // Another name isn't delayed by it.
        let other = Task { try await lookups.addresses(of: "other") }
        await names.begun(1)
        names.letGo(2)
        for task in tasks { #expect(try await task.value == [IPAddress(192, 0, 2, 4)]) }
        #expect(try await other.value == [IPAddress(192, 0, 2, 5)])
        #expect(names.names == ["slow", "other"])
        // The next request starts a new lookup.
        names.letGo(1)
        _ = try await lookups.addresses(of: "slow")
        #expect(names.names == ["slow", "other", "slow"])
    }

    @Test func `a name without waiting requests isn't looked up`() async throws {
        let names = SlowNames()
        let lookups = NameLookups(lookUp: names.lookUp)
        let blocking = (1...NameLookups.threadsMax).map { index in
            Task { try await lookups.addresses(of: "dead-\(index)") }
        }
        await names.begun(NameLookups.threadsMax)
        let gone = (1...100).map { index in
            Task { try await lookups.addresses(of: "gone-\(index)") }
        }
        await settle(lookups, NameLookups.threadsMax + 100)
        for task in gone { task.cancel() }
        for task in gone {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        await settle(lookups, NameLookups.threadsMax)
        let last = Task { try await lookups.addresses(of: "last") }
        await settle(lookups, NameLookups.threadsMax + 1)
        names.letGo(NameLookups.threadsMax + 1)
        #expect(try await last.value == [IPAddress(192, 0, 2, 4)])
        for task in blocking { _ = try await task.value }
        #expect(names.names.filter { !$0.hasPrefix("dead-") } == ["last"])
    }

    @Test func `names past the bound of waiting ones are refused`() async throws {
        let names = SlowNames()
        let lookups = NameLookups(lookUp: names.lookUp)
        let countMax = NameLookups.threadsMax + NameLookups.waitingMax
        let tasks = (1...countMax).map { index in
            Task { try await lookups.addresses(of: "name-\(index)") }
        }
        await settle(lookups, countMax)
        let error = await #expect(throws: HTTPFailure.self) {
            try await lookups.addresses(of: "more")
        }
        #expect(error?.description == "more can't be looked up: too many names wait for that")
        names.letGo(countMax)
        for task in tasks { _ = try await task.value }
        await settle(lookups, 0)
    }

    @Test func `a failed lookup fails for all its requests, and not for the next`() async throws {
        let count = Count()
        let lookups = NameLookups { host in
            guard count.add() > 1 else { throw HostLookup.Failure(description: "no \(host)") }
            return [IPAddress(192, 0, 2, 1)]
        }
        await #expect(throws: HostLookup.Failure.self) {
            try await lookups.addresses(of: "a.test")
        }
        #expect(try await lookups.addresses(of: "a.test") == [IPAddress(192, 0, 2, 1)])
    }
}
