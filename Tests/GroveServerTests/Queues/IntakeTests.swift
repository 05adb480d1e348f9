import GroveEngine
import Testing

@testable import GroveServer

@Suite("Intake")
struct IntakeTests {
    private func burst(_ connection: UInt64, _ tokens: Range<UInt32>) -> [Request] {
        tokens.map {
            Request(connection: ConnectionID(connection), token: $0, operation: .stats)
        }
    }

    /// Returns all waiting requests as connection and token, per turn.
    private func turns(_ intake: inout Intake) -> [[String]] {
        var turns: [[String]] = []
        while let turn = intake.next() {
            turns.append(turn.map { "\($0.connection.value)-\($0.token)" })
        }
        return turns
    }

    @Test func `requests of one connection keep their order, in turns of a bounded size`() {
        var intake = Intake(windowBytes: 1_000)
        intake.add(burst(1, 0..<100))
        intake.add(burst(1, 100..<300))
        let turns = turns(&intake)
        #expect(turns.allSatisfy { $0.count <= Intake.requestsPerTurn })
        #expect(turns.flatMap { $0 } == (0..<300).map { "1-\($0)" })
        #expect(intake.isEmpty)
    }

    @Test func `connections have turns, and a new one comes first`() {
        var intake = Intake(windowBytes: 1_000)
        intake.add(burst(1, 0..<200))
        intake.add(burst(2, 0..<130))
        let first = [intake.next(), intake.next(), intake.next()].map {
            $0?.first?.connection.value
        }
        #expect(first == [1, 1, 2])
        intake.add(burst(3, 0..<1))
        _ = intake.next()
        let third = intake.next()?.first?.connection
        #expect(third == ConnectionID(3))
        intake.add([])
        let rest = turns(&intake).map { $0[0] }
        #expect(rest == ["2-64", "1-192", "2-128"])
    }

    @Test func `after a long commit new connections have a batch, and never two in a row`() {
        var intake = Intake(windowBytes: 1_000)
        intake.add(burst(1, 0..<300))
        _ = intake.next()
        var batches: [[String]] = []
        for connection: UInt64 in 2...5 {
            intake.add(burst(connection, 0..<1))
            intake.beginBatch(afterLongCommit: true)
            var batch: [String] = []
            while batch.count < 2, let turn = intake.next(), let request = turn.first {
                batch.append("\(request.connection.value)-\(request.token)")
            }
            batches.append(batch)
        }
        #expect(batches == [["2-0"], ["1-64", "3-0"], ["4-0"], ["1-128", "5-0"]])
        intake.beginBatch(afterLongCommit: true)
        let rest = turns(&intake).map { $0[0] }
        #expect(rest == ["1-192", "1-256"], "without new connections it is for all")
    }

    @Test func `every other turn belongs to connections that had one already`() {
        var intake = Intake(windowBytes: 1_000)
        intake.add(burst(1, 0..<200))
        _ = intake.next()
        for connection: UInt64 in 2...4 { intake.add(burst(connection, 0..<1)) }
        let rest = turns(&intake).map { $0[0] }
        #expect(rest == ["1-64", "2-0", "1-128", "3-0", "1-192", "4-0"])
    }

    @Test func `requests that are put back come before the rest of their connection`() {
        var intake = Intake(windowBytes: 1_000)
        intake.add(burst(1, 0..<70))
        let turn = intake.next() ?? []
        intake.putBack(turn[60...])
        let rest = turns(&intake).flatMap { $0 }
        #expect(rest == (60..<70).map { "1-\($0)" })
        intake.add(burst(1, 0..<10))
        let whole = intake.next() ?? []
        #expect(intake.isEmpty)
        intake.putBack(whole[1...])
        #expect(!intake.isEmpty)
        let others = turns(&intake).flatMap { $0 }
        #expect(others == (1..<10).map { "1-\($0)" })
    }

    @Test func `a full queue of single requests keeps its order`() {
        var intake = Intake(windowBytes: 1_000)
        for token: UInt32 in 0..<65_536 { intake.add(burst(1, token..<token + 1)) }
        let first = intake.next() ?? []
        intake.putBack(first)
        let tokens = turns(&intake).flatMap { $0 }
        #expect(tokens.count == 65_536)
        #expect(tokens == (0..<65_536).map { "1-\($0)" })
    }

    @Test func `a connection ends after its last request`() {
        var intake = Intake(windowBytes: 1_000)
        let waitedBefore = intake.end(ConnectionID(1))
        intake.add(burst(1, 0..<100))
        let waits = intake.end(ConnectionID(1))
        #expect(!waitedBefore && waits)
        _ = intake.next()
        let hasEndedEarly = intake.hasEnded(ConnectionID(1))
        _ = intake.next()
        let hasEnded = intake.hasEnded(ConnectionID(1))
        let again = intake.hasEnded(ConnectionID(1))
        #expect(!hasEndedEarly && hasEnded && !again)
    }

    @Test func `a connection has no turn while its client hasn't accepted a window of replies`() {
        var intake = Intake(windowBytes: 1_000)
        let (slow, other) = (ConnectionID(1), ConnectionID(2))
        intake.add(burst(1, 0..<200))
        let first = intake.next()?.count
        #expect(first == 64)
        intake.post(600, to: slow)
        let second = intake.next()?.count
        #expect(second == 64, "less than a window")
        intake.post(600, to: slow)
        #expect(turns(&intake).isEmpty && intake.isEmpty)
        intake.add(burst(2, 0..<1))
        intake.add(burst(1, 200..<201))
        let next = intake.next()?.first?.connection
        #expect(next == other, "the others have theirs")
        #expect(turns(&intake).isEmpty)
        intake.accepted(100, by: slow)
        #expect(intake.isEmpty, "1,100 are still to be accepted")
        intake.accepted(300, by: slow)
        #expect(turns(&intake).flatMap { $0 } == (128..<201).map { "1-\($0)" })
    }

    @Test func `the room of a connection is the rest of its window`() {
        var intake = Intake(windowBytes: 1_000)
        let connection = ConnectionID(1)
        #expect(intake.room(of: connection) == 1_000)
        intake.post(600, to: connection)
        #expect(intake.room(of: connection) == 400 && intake.room(of: ConnectionID(2)) == 1_000)
        intake.post(600, to: connection)
        #expect(intake.room(of: connection) == 1)
        intake.accepted(1_200, by: connection)
        #expect(intake.room(of: connection) == 1_000)
    }

    @Test func `a smaller window closes connections, a larger one opens them`() {
        var intake = Intake(windowBytes: 1_000)
        intake.post(500, to: ConnectionID(1))
        intake.setWindow(500)
        intake.add(burst(1, 0..<1))
        #expect(turns(&intake).isEmpty)
        intake.setWindow(501)
        #expect(turns(&intake) == [["1-0"]])
    }

    @Test func `connections that wait for pages have no turn, and resume in order`() {
        var intake = Intake(windowBytes: 1_000)
        for connection: UInt64 in 1...3 {
            intake.add(burst(connection, 0..<2))
            _ = intake.next()
            intake.putBack(burst(connection, 1..<2)[...], waitsForPage: true)
        }
        #expect(intake.waitsForPages)
        #expect(turns(&intake).isEmpty && intake.isEmpty)
        intake.resumePageWaiters(0)
        #expect(intake.isEmpty)
        intake.resumePageWaiters(2)
        #expect(intake.waitsForPages)
        #expect(turns(&intake) == [["1-1"], ["2-1"]])
        intake.resumePageWaiters(2)
        #expect(!intake.waitsForPages)
        #expect(turns(&intake) == [["3-1"]])
    }

    @Test func `the requests of a closed connection wait for no window`() {
        var intake = Intake(windowBytes: 1_000)
        let connection = ConnectionID(1)
        intake.post(5_000, to: connection)
        intake.add(burst(1, 0..<2))
        #expect(turns(&intake).isEmpty)
        let waits = intake.end(connection)
        #expect(waits)
        #expect(turns(&intake) == [["1-0", "1-1"]])
        let hasEnded = intake.hasEnded(connection)
        #expect(hasEnded)
        intake.remove(connection)
        intake.add(burst(1, 2..<3))
        #expect(turns(&intake) == [["1-2"]], "its window went with it")
    }

    @Test func `a closed connection that waits for a page leaves nothing`() {
        var intake = Intake(windowBytes: 1_000)
        let connection = ConnectionID(1)
        intake.putBack(burst(1, 0..<1)[...], waitsForPage: true)
        let waits = intake.end(connection)
        #expect(waits)
        _ = turns(&intake)
        let hasEnded = intake.hasEnded(connection)
        #expect(hasEnded)
        intake.remove(connection)
        intake.resumePageWaiters(1)
        #expect(!intake.waitsForPages && intake.isEmpty)
    }
}
