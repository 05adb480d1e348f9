import Glibc
import GroveClient
import GroveNetwork
import Testing

@testable import GroveBench

/// Connections whose server is the other end of a pair of sockets, and whose clock is the test's.
@Suite("BenchConnection")
struct BenchConnectionTests {
    private struct Pair: ~Copyable {
        var connection: BenchConnection
        let server: Socket
        var tally = BenchTally()
        var recorder: AckRecorder?

        init(rate: Int?, pipeline: Int) throws {
            var ends: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            for fd in ends { _ = fcntl(fd, F_SETFL, O_NONBLOCK) }
            let address = try #require(ServerAddress("unix:/nowhere"))
            var plan = BenchPlan(address: address, event: Array("1".utf8))
            plan.pipeline = pipeline
            plan.rate = rate
            connection = BenchConnection(plan, index: 0)
            connection.channel = BenchChannel(Socket(owning: ends[0]), tls: nil)
            connection.phase = .open
            server = Socket(owning: ends[1])
        }

        deinit { connection.deallocate() }

        mutating func fill(at now: UInt64) {
            connection.fill(now: now, &tally)
        }

        /// Replies to the request with this number, counted from 0, at this time.
        mutating func reply(to number: UInt64, at now: UInt64) throws {
            let line = Array("{\"id\":\(RequestTemplate.firstID + number),\"ok\":true}\n".utf8)
            guard case .bytes(line.count) = line.withUnsafeBytes({ server.write($0) }) else {
                throw SocketError(call: "write", code: 0)
            }
            let problem = connection.read(&tally, &recorder) { now }
            #expect(problem == nil)
        }

        /// The longest latency so far.
        mutating func longest() -> UInt64 {
            tally.flushLatency()
            return tally.latency.max
        }
    }

    @Test func `without a rate, latency starts when a request is sent`() throws {
        var pair = try Pair(rate: nil, pipeline: 1)
        pair.connection.begin(now: 0)
        pair.fill(at: 1_000)
        try pair.reply(to: 0, at: 5_000)
        #expect(pair.longest() == 4_000)
        pair.fill(at: 5_000)
        #expect(pair.tally.sent == 2)
        #expect(pair.connection.nextDue == nil)
        #expect(pair.connection.stopSending(now: 1_000_000_000) == 0)
    }

    @Test func `with a rate, latency starts when a request is due`() throws {
        var pair = try Pair(rate: 1_000_000, pipeline: 1)
        pair.connection.begin(now: 0)
        pair.fill(at: 0)
        #expect(pair.tally.sent == 1)
        #expect(pair.connection.nextDue == nil)
        try pair.reply(to: 0, at: 1_500)
        #expect(pair.longest() == 1_500)
        #expect(pair.connection.nextDue == 1_000)
        // It was due 700 ns before there was room.
        pair.fill(at: 1_700)
        try pair.reply(to: 1, at: 3_500)
        #expect(pair.longest() == 2_500)
    }

    @Test func `with a rate, nothing is sent before it is due`() throws {
        var pair = try Pair(rate: 1_000_000, pipeline: 16)
        pair.connection.begin(now: 0)
        pair.fill(at: 2_999)
        #expect(pair.tally.sent == 3)
        #expect(pair.connection.nextDue == 3_000)
        pair.fill(at: 3_000)
        #expect(pair.tally.sent == 4)
    }

    @Test func `what was due and had no room is counted at the end`() throws {
        var pair = try Pair(rate: 1_000_000, pipeline: 2)
        pair.connection.begin(now: 0)
        pair.fill(at: 4_500)
        #expect(pair.tally.sent == 2)
        #expect(pair.connection.stopSending(now: 4_500) == 3)
        try pair.reply(to: 0, at: 5_000)
        #expect(pair.connection.nextDue == nil)
    }
}
