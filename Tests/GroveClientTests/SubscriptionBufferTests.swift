import OrderedJSON
import Testing

@testable import GroveClient

@Suite("SubscriptionBuffer")
struct SubscriptionBufferTests {
    private func record(_ cursor: String?) throws -> Record {
        let cursor = cursor.map { "\"cur\":\"\($0)\"," } ?? "\"snapshot\":true,"
        let line = "{\"sub\":\"s1\",\(cursor)\"to\":\"a/b\",\"v\":1,\"kind\":\"state\"}"
        return try Record(try JSONDocument(parsing: Array(line.utf8)))
    }

    private func taken(_ buffer: inout SubscriptionBuffer) -> [String] {
        var texts: [String] = []
        while let outcome = buffer.dequeue() {
            switch outcome {
            case .success(.record(let record)): texts.append(record.cursor ?? "snapshot")
            case .success(.mark(let mark)): texts.append("\(mark)")
            case .success(.interrupted): texts.append("interrupted")
            case .success(.resumed(let isAnew)): texts.append(isAnew ? "anew" : "resumed")
            case .success(nil):
                texts.append("end")
                return texts
            case .failure(let error): texts.append(error.code)
            }
        }
        return texts
    }

    @Test func `several consumers share the records`() async throws {
        let feed = SubscriptionFeed(
            request: SubscriptionRequest(start: .first), window: 8)
        let record = try record("1")
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    guard case .record = try await feed.next().get() else { return false }
                    return true
                }
            }
            for _ in 0..<100 { await Task.yield() }
            for _ in 0..<8 { feed.update { $0.receive(record) } }
            for try await hasRecord in group { #expect(hasRecord) }
        }
        let cancelled = Task { await feed.next() }
        cancelled.cancel()
        guard case .success(nil) = await cancelled.value else {
            Issue.record("a cancelled consumer got something")
            return
        }
        feed.update { $0.finish(nil) }
        guard case .success(nil) = await feed.next() else {
            Issue.record("there was something behind the end")
            return
        }
    }

    @Test func `a subscription resumes after the records that it holds`() throws {
        var buffer = SubscriptionBuffer(start: .first, wantsSnapshot: false, window: 8)
        _ = buffer.start(link: 1)
        buffer.receive(try record("1"))
        buffer.receive(try record("2"))
        buffer.interrupt(.connectionLost(""))
        let position = buffer.start(link: 2)
        #expect(position == .init(start: .after("2"), wantsSnapshot: false, credit: 6))
        buffer.resume()
        buffer.receive(try record("3"))
        #expect(taken(&buffer) == ["1", "2", "interrupted", "resumed", "3"])
        #expect(buffer.cursor == "3")
    }

    @Test func `a subscription from now resumes at the moment it was accepted`() {
        var buffer = SubscriptionBuffer(start: .now, wantsSnapshot: false, window: 8)
        #expect(buffer.start(link: 1).start == .now)
        buffer.accept(at: "head")
        buffer.interrupt(.connectionLost(""))
        #expect(buffer.start(link: 2).start == .after("head"))
    }

    @Test func `the cursor of the acceptance counts only for a subscription from now`() {
        for start in [SubscriptionRequest.Start.first, .after("c")] {
            var buffer = SubscriptionBuffer(start: start, wantsSnapshot: false, window: 8)
            _ = buffer.start(link: 1)
            buffer.accept(at: "head")
            #expect(buffer.start(link: 2).start == start)
        }
    }

    @Test func `an interrupted snapshot is discarded and requested again`() throws {
        var buffer = SubscriptionBuffer(start: .now, wantsSnapshot: true, window: 8)
        _ = buffer.start(link: 1)
        buffer.accept(at: "head")
        buffer.receive(try record(nil))
        buffer.interrupt(.connectionLost(""))
        let position = buffer.start(link: 2)
        #expect(position == .init(start: .now, wantsSnapshot: true, credit: 8))
        buffer.resume()
        #expect(taken(&buffer) == ["interrupted", "anew"])
    }

    @Test func `a complete snapshot is kept, and resumes from its mark`() throws {
        var buffer = SubscriptionBuffer(start: .now, wantsSnapshot: true, window: 8)
        _ = buffer.start(link: 1)
        buffer.receive(try record(nil))
        buffer.receive(.snapshot, cursor: "5")
        buffer.interrupt(.connectionLost(""))
        #expect(buffer.start(link: 2).start == .after("5"))
        #expect(taken(&buffer) == ["snapshot", "snapshot", "interrupted"])
    }

    @Test func `checkpoints move the position, and only the newest is kept`() throws {
        var buffer = SubscriptionBuffer(start: .first, wantsSnapshot: false, window: 8)
        _ = buffer.start(link: 1)
        for cursor in ["1", "2", "3"] { buffer.receive(.checkpoint, cursor: cursor) }
        #expect(taken(&buffer) == ["checkpoint"])
        #expect(buffer.cursor == "3")
        #expect(buffer.start(link: 2).start == .after("3"))
    }

    @Test func `grants credit when half of the window is free`() throws {
        var buffer = SubscriptionBuffer(start: .first, wantsSnapshot: false, window: 4)
        #expect(buffer.start(link: 1).credit == 4)
        for cursor in ["1", "2", "3", "4"] { buffer.receive(try record(cursor)) }
        _ = buffer.dequeue()
        #expect(buffer.grant == 0)
        _ = buffer.dequeue()
        #expect(buffer.issueGrant(link: 1) == 2)
        #expect(buffer.grant == 0)
    }

    @Test func `never holds more than its window, however often the connection breaks`() throws {
        var buffer = SubscriptionBuffer(start: .first, wantsSnapshot: false, window: 3)
        var cursor = 0
        for link in 1...5 {
            for _ in 0..<buffer.start(link: link).credit {
                cursor += 1
                buffer.receive(try record("\(cursor)"))
            }
            buffer.interrupt(.connectionLost(""))
        }
        // A full buffer still gets one record for each connection, so that it can't starve.
        #expect(taken(&buffer).filter { Int($0) != nil } == (1...7).map { "\($0)" })
    }

    @Test func `credit of an earlier connection is not granted on a later one`() throws {
        var buffer = SubscriptionBuffer(start: .first, wantsSnapshot: false, window: 1)
        _ = buffer.start(link: 1)
        buffer.receive(try record("1"))
        _ = buffer.dequeue()
        #expect(buffer.issueGrant(link: 2) == 0)
        buffer.interrupt(.connectionLost(""))
        #expect(buffer.grant == 0)
    }

    @Test func `an error comes after the received records, once, and then the end`() throws {
        var buffer = SubscriptionBuffer(start: .first, wantsSnapshot: false, window: 4)
        _ = buffer.start(link: 1)
        buffer.receive(try record("1"))
        buffer.finish(.closed)
        buffer.finish(.cancelled)
        #expect(taken(&buffer) == ["1", "CLOSED", "end"])
        #expect(taken(&buffer) == ["end"])
    }

    @Test func `many interruptions leave one notice`() {
        var buffer = SubscriptionBuffer(start: .first, wantsSnapshot: false, window: 4)
        for link in 1...1000 {
            _ = buffer.start(link: link)
            buffer.resume()
            buffer.interrupt(.connectionLost(""))
        }
        #expect(taken(&buffer) == ["interrupted"])
    }
}
