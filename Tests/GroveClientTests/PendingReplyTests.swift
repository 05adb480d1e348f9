import OrderedJSON
import Testing

@testable import GroveClient

@Suite("PendingReply")
struct PendingReplyTests {
    private func reply(_ number: Int) throws -> Reply {
        Reply(try JSONDocument(parsing: Array("{\"v\":\(number)}".utf8)))
    }

    @Test func `a reply is returned to all waiting and later callers`() async throws {
        let pending = PendingReply(client: Client())
        let waiters = (0..<5).map { _ in Task { try await pending.value.integer("v") } }
        pending.resolve(.success(try reply(1)))
        for waiter in waiters { #expect(try await waiter.value == 1) }
        #expect(try await pending.value.integer("v") == 1)
    }

    @Test func `only the first answer counts`() async throws {
        let pending = PendingReply(client: Client())
        pending.resolve(.success(try reply(1)))
        pending.resolve(.failure(.closed))
        pending.resolve(.success(try reply(2)))
        #expect(try await pending.value.integer("v") == 1)
    }

    @Test func `a cancelled waiter doesn't wait`() async throws {
        let pending = PendingReply(client: Client())
        let waiter = Task { await failure { try await pending.value } }
        waiter.cancel()
        #expect(await waiter.value == .cancelled)
    }
}

@Suite("SubscriptionFeed")
struct SubscriptionFeedTests {
    @Test func `the consumer gets all items, in order`() async throws {
        let feed = SubscriptionFeed(request: SubscriptionRequest(), window: 2)
        let consumer = Task {
            var marks: [SubscriptionMark] = []
            while case .mark(let mark) = try await feed.next().get() { marks.append(mark) }
            return marks
        }
        for mark in [SubscriptionMark.live, .checkpoint, .other("x")] {
            feed.update { $0.receive(mark, cursor: nil) }
        }
        feed.update { $0.finish(nil) }
        #expect(try await consumer.value == [.live, .checkpoint, .other("x")])
    }

    @Test func `a cancelled consumer gets the end, and the next one continues`() async throws {
        let feed = SubscriptionFeed(request: SubscriptionRequest(), window: 2)
        let consumer = Task { try await feed.next().get() == nil }
        consumer.cancel()
        #expect(try await consumer.value)
        feed.update { $0.receive(.live, cursor: "c") }
        guard case .mark(.live) = try await feed.next().get() else {
            throw FakeServerError(text: "the mark was lost")
        }
        #expect(feed.cursor == "c")
    }
}
