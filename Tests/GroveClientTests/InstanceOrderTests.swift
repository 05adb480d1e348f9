import OrderedJSON
import Testing

@testable import GroveClient

@Suite("InstanceOrder")
struct InstanceOrderTests {
    private let client = Client()

    private func call(
        _ order: Int, _ instance: String? = "c/a", op: String = "send", waitsOnServer: Bool = false,
        deadline: ContinuousClock.Instant = .now + .seconds(60)
    ) -> Call {
        var request = Request(op)
        if let instance { request.set("to", .string(instance)) }
        if waitsOnServer { request.setWait(nil) }
        var call = Call(
            request: request, reply: PendingReply(client: client), deadline: deadline,
            timeout: .seconds(60))
        call.order = order
        return call
    }

    private func orders(_ calls: [Call]) -> [Int] { calls.map(\.order) }

    @Test func `pipelined calls don't wait for each other`() {
        let box = OrderBox(order: .pipelined)
        for order in 1...3 { #expect(box.admit(call(order))) }
        for order in 1...3 { #expect(box.complete(call(order)).isEmpty) }
        #expect(box.removeAll().isEmpty)
    }

    @Test func `one by one, the next call is sent after the answer before`() {
        let box = OrderBox(order: .oneByOne)
        #expect(box.admit(call(1)))
        #expect(!box.admit(call(2)))
        #expect(!box.admit(call(3)))
        #expect(box.admit(call(4, "c/b")))
        #expect(box.admit(call(5, nil)))
        #expect(orders(box.complete(call(1))) == [2])
        #expect(orders(box.complete(call(2))) == [3])
        #expect(box.complete(call(3)).isEmpty)
    }

    @Test func `a refusal stops its instance until all are answered, then one is sent first`() {
        let box = OrderBox(order: .pipelined)
        for order in 1...4 { #expect(box.admit(call(order))) }
        #expect(box.complete(call(1)).isEmpty)
        #expect(box.postpone(call(2)) == 1)
        // A refusal of a later one starts no second pause.
        #expect(box.postpone(call(4)) == nil)
        #expect(!box.admit(call(5)))
        #expect(box.admit(call(6, "c/b")))
        #expect(box.resume(.instance("c/a")).isEmpty, "call 3 is under way")
        #expect(orders(box.complete(call(3))) == [2])
        #expect(!box.admit(call(7)))
        #expect(orders(box.complete(call(2))) == [4, 5, 7])
    }

    @Test(arguments: ["SUSPENDED", "STORAGE_FULL"])
    func `what needn't wait for a hold passes by`(code: String) throws {
        let box = OrderBox(order: .oneByOne)
        #expect(box.admit(call(1)))
        for (order, op) in [(2, "get"), (3, "send"), (4, "resume")] {
            #expect(!box.admit(call(order, op: op)))
        }
        let (stops, passing) = box.postpone(call(1), code)
        #expect(stops == 1 && orders(passing) == [2, 4])
        #expect(passing.map(\.isAside) == [true, true])
        for (order, op) in [(5, "stop"), (6, "delete"), (7, "cancel"), (8, "suspend")] {
            #expect(box.admit(call(order, op: op)))
        }
        #expect(!box.admit(call(9, op: "create")))
        for call in passing { #expect(box.complete(call).isEmpty) }
        #expect(orders(box.resume(.instance("c/a"))) == [1])
        #expect(box.admit(call(10, op: "get")), "until the postponed call is accepted")
        #expect(orders(box.complete(call(1))) == [3])
        #expect(!box.admit(call(11, op: "get")))
    }

    @Test func `a call that expires behind another says what has stopped that one`() {
        let box = OrderBox(order: .oneByOne)
        let past = ContinuousClock.now
        #expect(box.admit(call(1)) && !box.admit(call(2, deadline: past)))
        #expect(box.removeExpired(at: past).first?.expiry.message.contains("no answer") == true)
        _ = box.postpone(call(1), "SUSPENDED")
        #expect(!box.admit(call(3, deadline: past)))
        #expect(box.removeExpired(at: past).first?.expiry.code == "SUSPENDED")
    }

    @Test func `the last outstanding call may be postponed after a pause`() {
        let box = OrderBox(order: .pipelined)
        for order in 1...2 { #expect(box.admit(call(order))) }
        #expect(box.postpone(call(1)) == 1)
        #expect(box.resume(.instance("c/a")).isEmpty, "call 2 is under way")
        #expect(box.postpone(call(2)) == 2, "a pause restarts")
        #expect(orders(box.resume(.instance("c/a"))) == [1])
        #expect(orders(box.complete(call(1))) == [2])
    }

    @Test func `the answer to a long wait doesn't count as the probe's`() {
        let box = OrderBox(order: .pipelined)
        #expect(box.admit(call(1, waitsOnServer: true)))
        for order in 2...3 { #expect(box.admit(call(order))) }
        #expect(box.postpone(call(2)) == 1)
        #expect(box.postpone(call(3)) == nil)
        #expect(orders(box.resume(.instance("c/a"))) == [2])
        #expect(box.complete(call(1, waitsOnServer: true)).isEmpty)
        #expect(orders(box.complete(call(2))) == [3])
    }

    @Test func `the answers may all be there before the pause is over`() {
        let box = OrderBox(order: .pipelined)
        for order in 1...2 { #expect(box.admit(call(order))) }
        #expect(box.postpone(call(1)) == 1)
        #expect(box.complete(call(2)).isEmpty)
        #expect(!box.admit(call(3)))
        #expect(orders(box.resume(.instance("c/a"))) == [1])
        #expect(box.resume(.instance("c/a")).isEmpty, "a pause ends once")
        #expect(box.postpone(call(1)) == 2, "stops in a row are counted")
        #expect(orders(box.resume(.instance("c/a"))) == [1])
        #expect(orders(box.complete(call(1))) == [3])
        #expect(box.postpone(call(3)) == 1, "an answer ends the row")
    }

    @Test func `postponed calls keep their order, however they are refused`() {
        let box = OrderBox(order: .pipelined)
        for number in 1...5 { #expect(box.admit(call(number))) }
        for number in [4, 2, 5, 1, 3] { _ = box.postpone(call(number)) }
        var sent: [Int] = []
        var next = box.resume(.instance("c/a"))
        while let call = next.first {
            next.removeFirst()
            sent.append(call.order)
            next += box.complete(call)
        }
        #expect(sent == [1, 2, 3, 4, 5])
    }

    @Test func `a call that may wait for an hour delays no other`() {
        let box = OrderBox(order: .pipelined)
        #expect(box.admit(call(1, waitsOnServer: true)))
        #expect(box.admit(call(2)))
        #expect(box.postpone(call(2)) == 1)
        #expect(!box.admit(call(3, waitsOnServer: true)))
        #expect(!box.admit(call(4)))
        #expect(orders(box.resume(.instance("c/a"))) == [2])
        #expect(orders(box.complete(call(2))) == [3, 4])
        #expect(box.admit(call(5, op: "await")), "await has an order of its own")
    }

    @Test func `the end of a connection returns waiting calls, and drops the rest`() {
        let box = OrderBox(order: .pipelined)
        for order in 1...3 { #expect(box.admit(call(order))) }
        _ = box.postpone(call(2))
        _ = box.admit(call(4))
        #expect(orders(box.removeAll()).sorted() == [2, 4])
        #expect(box.removeAll().isEmpty)
        #expect(box.admit(call(5)))
    }

    @Test func `waiting calls expire`() {
        let now = ContinuousClock.now
        let box = OrderBox(order: .oneByOne)
        #expect(box.nextDeadline == nil)
        #expect(box.admit(call(1)))
        for (order, seconds) in [(2, 5), (3, 1), (4, 9)] {
            #expect(!box.admit(call(order, deadline: now + .seconds(seconds))))
        }
        #expect(box.nextDeadline == now + .seconds(1))
        #expect(orders(box.removeExpired(at: now + .seconds(5))) == [2, 3])
        #expect(orders(box.complete(call(1))) == [4])
    }

    @Test func `nothing is kept of instances without calls`() {
        let box = OrderBox(order: .pipelined)
        for order in 1...10 {
            #expect(box.admit(call(order, "c/\(order)")))
            if order % 2 == 0 { _ = box.postpone(call(order, "c/\(order)")) }
        }
        for order in 1...10 {
            let next = box.resume(.instance("c/\(order)"))
            #expect(next.count == (order % 2 == 0 ? 1 : 0))
            _ = box.complete(call(order, "c/\(order)"))
        }
        #expect(box.isEmpty)
    }
}

/// An order whose changes may stand in an expectation.
private final class OrderBox {
    private var value: InstanceOrder

    init(order: RetryPolicy.Order) { value = InstanceOrder(order: order) }

    var isEmpty: Bool { value.isEmpty }
    var nextDeadline: ContinuousClock.Instant? { value.nextDeadline }
    func admit(_ call: Call) -> Bool {
        var call = call
        return value.admit(&call)
    }
    func complete(_ call: Call) -> [Call] { value.complete(call) }
    func postpone(_ call: Call) -> Int? { postpone(call, "OVERLOADED").stops }
    func postpone(_ call: Call, _ code: String) -> (stops: Int?, passing: [Call]) {
        value.postpone(call, after: Self.refusal(code))
    }

    private static func refusal(_ code: String) -> ServerError {
        do {
            let text = #"{"code":"\#(code)","message":"no","retry":true}"#
            let document = try JSONDocument(parsing: Array(text.utf8))
            return ServerError(document, at: document.root)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    func resume(_ name: InstanceOrder.Key) -> [Call] { value.resume(name) }
    func removeAll() -> [Call] { value.removeAll() }
    func removeExpired(at now: ContinuousClock.Instant) -> [Call] { value.removeExpired(at: now) }
}

@Suite("CallBudget")
struct CallBudgetTests {
    @Test func `the number of calls is bounded, and an answer frees one`() {
        let budget = CallBudget(callsMax: 2, bytesMax: 1_000)
        #expect(budget.reserve(bytes: 1) == nil)
        #expect(budget.reserve(bytes: 1) == nil)
        #expect(budget.reserve(bytes: 1)?.code == "QUEUE_FULL")
        budget.release(bytes: 1)
        #expect(budget.reserve(bytes: 1) == nil)
        #expect(budget.calls == 2)
    }

    @Test func `the bytes of calls are bounded, except for a single call`() {
        let budget = CallBudget(callsMax: 10, bytesMax: 100)
        #expect(budget.reserve(bytes: 200) == nil)
        #expect(budget.reserve(bytes: 1)?.code == "QUEUE_FULL")
        budget.release(bytes: 200)
        #expect(budget.reserve(bytes: 60) == nil)
        #expect(budget.reserve(bytes: 41)?.code == "QUEUE_FULL")
        #expect(budget.reserve(bytes: 40) == nil)
    }

    @Test func `never makes a key twice, and none over the server's limit`() {
        let budgets = (0..<3).map { _ in CallBudget(callsMax: 1, bytesMax: 1) }
        let keys = budgets.flatMap { budget in (0..<1_000).map { _ in budget.nextKey() } }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { (20...60).contains($0.utf8.count) })
    }
}
