import Glibc
import Testing

@testable import GroveServer

/// What epoll reports, and when it stops.
@Suite("Poller")
struct PollerTests {
    /// Two connected sockets, closed at the end.
    private final class Pair {
        let near: Int32
        private(set) var far: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends)
                    == 0)
            (near, far) = (ends[0], ends[1])
        }

        func send() { write(far, "x", 1) }

        func receive() {
            var byte: UInt8 = 0
            read(near, &byte, 1)
        }

        func endStream() { shutdown(far, Int32(SHUT_WR)) }

        func hangUp() {
            close(far)
            far = -1
        }

        deinit {
            close(near)
            if far >= 0 { close(far) }
        }
    }

    private func reports(_ poller: Poller) -> [String] {
        var found: [String] = []
        poller.wait(milliseconds: 0) { report in
            found.append(
                "\(report.id)" + (report.isReadable ? "r" : "w")
                    + (report.isBroken ? " broken" : "") + (report.isEnded ? " ended" : ""))
        }
        return found.sorted()
    }

    @Test func `a socket is reported as long as it is ready, and wanted`() throws {
        let poller = Poller(reportsMax: 8, waker: PollerWaker())
        let pair = try Pair()
        _ = poller.change(pair.near, id: 7, from: nil, to: .read)
        #expect(reports(poller) == [])
        pair.send()
        #expect(reports(poller) == ["7r"])
        #expect(reports(poller) == ["7r"], "nothing has to be armed again")
        _ = poller.change(pair.near, id: 7, from: .read, to: [.read, .write])
        #expect(reports(poller) == ["7r"])
        _ = poller.change(pair.near, id: 7, from: [.read, .write], to: .write)
        #expect(reports(poller) == ["7w"])
        _ = poller.change(pair.near, id: 7, from: .write, to: .read)
        pair.receive()
        #expect(reports(poller) == [])
        pair.send()
        _ = poller.change(pair.near, id: 7, from: .read, to: nil)
        #expect(reports(poller) == [])
        _ = poller.change(pair.near, id: 8, from: nil, to: .read)
        #expect(reports(poller) == ["8r"], "what came meanwhile is reported")
        _ = poller.change(pair.near, id: 8, from: .read, to: nil)
    }

    @Test func `a broken socket is reported, whatever is wanted, until it is removed`() throws {
        let poller = Poller(reportsMax: 8, waker: PollerWaker())
        let pair = try Pair()
        _ = poller.change(pair.near, id: 1, from: nil, to: .write)
        #expect(reports(poller) == ["1w"])
        _ = poller.change(pair.near, id: 1, from: .write, to: [])
        pair.send()
        #expect(reports(poller) == [], "nothing is wanted")
        pair.hangUp()
        #expect(reports(poller) == ["1r broken"])
        _ = poller.change(pair.near, id: 1, from: [], to: .write)
        #expect(reports(poller) == ["1r broken"])
        _ = poller.change(pair.near, id: 1, from: .write, to: nil)
        #expect(reports(poller) == [], "else the loop would spin until it may read")
    }

    @Test func `the end of a stream is reported before what comes first is read, if wanted`()
        throws
    {
        let poller = Poller(reportsMax: 8, waker: PollerWaker())
        let pair = try Pair()
        _ = poller.change(pair.near, id: 1, from: nil, to: .end)
        pair.send()
        #expect(reports(poller) == [])
        pair.endStream()
        #expect(reports(poller) == ["1w ended"])
        _ = poller.change(pair.near, id: 1, from: .end, to: [])
        #expect(reports(poller) == [])
        _ = poller.change(pair.near, id: 1, from: [], to: nil)
    }

    @Test func `more ready sockets than one call reports have their turn`() throws {
        let poller = Poller(reportsMax: 4, waker: PollerWaker())
        let pairs = try (0..<10).map { _ in try Pair() }
        for (index, pair) in pairs.enumerated() {
            _ = poller.change(pair.near, id: UInt64(index + 1), from: nil, to: .read)
            pair.send()
        }
        var seen: Set<String> = []
        for _ in 0..<5 {
            let found = reports(poller)
            #expect(found.count == 4)
            seen.formUnion(found)
        }
        #expect(seen.count == 10)
        for (index, pair) in pairs.enumerated() {
            _ = poller.change(pair.near, id: UInt64(index + 1), from: .read, to: nil)
        }
    }

    @Test func `a waker ends the present wait, and no later one`() {
        let waker = PollerWaker()
        let poller = Poller(reportsMax: 4, waker: waker)
        waker.wake()
        #expect(!isReadable(poller.fd), "nobody waited")
        waker.whileWaiting {
            waker.wake()
            waker.wake()
            #expect(isReadable(poller.fd))
            poller.wait(milliseconds: 60_000) { _ in Issue.record("a waker is no socket") }
        }
        #expect(!isReadable(poller.fd))
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }
}
