import OrderedJSON
import Testing

@testable import GroveClient

@Suite("Lanes")
struct LanesTests {
    private let client = Client()

    private func call(
        _ order: Int, _ instance: String? = "c/a", op: String = "send", isPatient: Bool = false,
        deadline: ContinuousClock.Instant = .now + .seconds(60)
    ) -> Call {
        var request = Request(op)
        if let instance { request.set("to", .string(instance)) }
        if isPatient { request.setWait(nil) }
        var call = Call(
            request: request, reply: PendingReply(client: client), deadline: deadline,
            timeout: .seconds(60))
        call.order = order
        return call
    }

    private func orders(_ calls: [Call]) -> [Int] { calls.map(\.order) }

    @Test func `pipelined calls don't wait for each other`() {
        let lanes = LanesBox(order: .pipelined)
        for order in 1...3 { #expect(lanes.admit(call(order))) }
        for order in 1...3 { #expect(lanes.settle(call(order)).isEmpty) }
        #expect(lanes.takeAll().isEmpty)
    }

    @Test func `one by one, the next goes out when the one before is answered`() {
        let lanes = LanesBox(order: .oneByOne)
        #expect(lanes.admit(call(1)))
        #expect(!lanes.admit(call(2)))
        #expect(!lanes.admit(call(3)))
        #expect(lanes.admit(call(4, "c/b")))
        #expect(lanes.admit(call(5, nil)))
        #expect(orders(lanes.settle(call(1))) == [2])
        #expect(orders(lanes.settle(call(2))) == [3])
        #expect(lanes.settle(call(3)).isEmpty)
    }

    @Test func `a refusal stops its instance until all is answered, then one goes first`() {
        let lanes = LanesBox(order: .pipelined)
        for order in 1...4 { #expect(lanes.admit(call(order))) }
        #expect(lanes.settle(call(1)).isEmpty)
        #expect(lanes.putOff(call(2)) == 1)
        // A refusal of another one behind it begins no second pause.
        #expect(lanes.putOff(call(4)) == nil)
        #expect(!lanes.admit(call(5)))
        #expect(lanes.admit(call(6, "c/b")))
        #expect(lanes.resume(.instance("c/a")).isEmpty, "call 3 is under way")
        #expect(orders(lanes.settle(call(3))) == [2])
        #expect(!lanes.admit(call(7)))
        #expect(orders(lanes.settle(call(2))) == [4, 5, 7])
    }

    @Test func `the last one under way may be put off after the pause for another one`() {
        let lanes = LanesBox(order: .pipelined)
        for order in 1...2 { #expect(lanes.admit(call(order))) }
        #expect(lanes.putOff(call(1)) == 1)
        #expect(lanes.resume(.instance("c/a")).isEmpty, "call 2 is under way")
        #expect(lanes.putOff(call(2)) == 2, "a pause begins anew")
        #expect(orders(lanes.resume(.instance("c/a"))) == [1])
        #expect(orders(lanes.settle(call(1))) == [2])
    }

    @Test func `a patient call that is answered meanwhile isn't the probe's answer`() {
        let lanes = LanesBox(order: .pipelined)
        #expect(lanes.admit(call(1, isPatient: true)))
        for order in 2...3 { #expect(lanes.admit(call(order))) }
        #expect(lanes.putOff(call(2)) == 1)
        #expect(lanes.putOff(call(3)) == nil)
        #expect(orders(lanes.resume(.instance("c/a"))) == [2])
        #expect(lanes.settle(call(1, isPatient: true)).isEmpty)
        #expect(orders(lanes.settle(call(2))) == [3])
    }

    @Test func `the answers may all be there before the pause is over`() {
        let lanes = LanesBox(order: .pipelined)
        for order in 1...2 { #expect(lanes.admit(call(order))) }
        #expect(lanes.putOff(call(1)) == 1)
        #expect(lanes.settle(call(2)).isEmpty)
        #expect(!lanes.admit(call(3)))
        #expect(orders(lanes.resume(.instance("c/a"))) == [1])
        #expect(lanes.resume(.instance("c/a")).isEmpty, "a pause ends once")
        #expect(lanes.putOff(call(1)) == 2, "stops in a row are counted")
        #expect(orders(lanes.resume(.instance("c/a"))) == [1])
        #expect(orders(lanes.settle(call(1))) == [3])
        #expect(lanes.putOff(call(3)) == 1, "an answer ends the row")
    }

    @Test func `calls that are put off keep their order, however they are refused`() {
        let lanes = LanesBox(order: .pipelined)
        for number in 1...5 { #expect(lanes.admit(call(number))) }
        for number in [4, 2, 5, 1, 3] { _ = lanes.putOff(call(number)) }
        var sent: [Int] = []
        var next = lanes.resume(.instance("c/a"))
        while let call = next.first {
            next.removeFirst()
            sent.append(call.order)
            next += lanes.settle(call)
        }
        #expect(sent == [1, 2, 3, 4, 5])
    }

    @Test func `a call whose answer may take an hour stops nobody`() {
        let lanes = LanesBox(order: .pipelined)
        #expect(lanes.admit(call(1, isPatient: true)))
        #expect(lanes.admit(call(2)))
        #expect(lanes.putOff(call(2)) == 1)
        #expect(!lanes.admit(call(3, isPatient: true)))
        #expect(!lanes.admit(call(4)))
        #expect(orders(lanes.resume(.instance("c/a"))) == [2])
        #expect(orders(lanes.settle(call(2))) == [3, 4])
        #expect(lanes.admit(call(5, op: "await")), "await has a lane of its own")
    }

    @Test func `the end of a connection hands back what waited, and forgets the rest`() {
        let lanes = LanesBox(order: .pipelined)
        for order in 1...3 { #expect(lanes.admit(call(order))) }
        _ = lanes.putOff(call(2))
        _ = lanes.admit(call(4))
        #expect(orders(lanes.takeAll()).sorted() == [2, 4])
        #expect(lanes.takeAll().isEmpty)
        #expect(lanes.admit(call(5)))
    }

    @Test func `calls that wait expire`() {
        let now = ContinuousClock.now
        let lanes = LanesBox(order: .oneByOne)
        #expect(lanes.nextDeadline == nil)
        #expect(lanes.admit(call(1)))
        for (order, seconds) in [(2, 5), (3, 1), (4, 9)] {
            #expect(!lanes.admit(call(order, deadline: now + .seconds(seconds))))
        }
        #expect(lanes.nextDeadline == now + .seconds(1))
        #expect(orders(lanes.takeExpired(at: now + .seconds(5))) == [2, 3])
        #expect(orders(lanes.settle(call(1))) == [4])
    }

    @Test func `nothing is kept of instances that are done with`() {
        let lanes = LanesBox(order: .pipelined)
        for order in 1...10 {
            #expect(lanes.admit(call(order, "c/\(order)")))
            if order % 2 == 0 { _ = lanes.putOff(call(order, "c/\(order)")) }
        }
        for order in 1...10 {
            let next = lanes.resume(.instance("c/\(order)"))
            #expect(next.count == (order % 2 == 0 ? 1 : 0))
            _ = lanes.settle(call(order, "c/\(order)"))
        }
        #expect(lanes.isEmpty)
    }
}

/// Lanes whose changes may stand in an expectation.
private final class LanesBox {
    private var lanes: Lanes

    init(order: RetryPolicy.Order) { lanes = Lanes(order: order) }

    var isEmpty: Bool { lanes.isEmpty }
    var nextDeadline: ContinuousClock.Instant? { lanes.nextDeadline }
    func admit(_ call: Call) -> Bool { lanes.admit(call) }
    func settle(_ call: Call) -> [Call] { lanes.settle(call) }
    func putOff(_ call: Call) -> Int? { lanes.putOff(call) }
    func resume(_ name: Lanes.Name) -> [Call] { lanes.resume(name) }
    func takeAll() -> [Call] { lanes.takeAll() }
    func takeExpired(at now: ContinuousClock.Instant) -> [Call] { lanes.takeExpired(at: now) }
}

@Suite("CallBudget")
struct CallBudgetTests {
    @Test func `takes as many calls as it may, and one more when one is answered`() {
        let budget = CallBudget(callsMax: 2, bytesMax: 1_000)
        #expect(budget.take(bytes: 1) == nil)
        #expect(budget.take(bytes: 1) == nil)
        #expect(budget.take(bytes: 1)?.code == "QUEUE_FULL")
        budget.giveBack(bytes: 1)
        #expect(budget.take(bytes: 1) == nil)
        #expect(budget.calls == 2)
    }

    @Test func `takes as many bytes as it may, but a single call of any size`() {
        let budget = CallBudget(callsMax: 10, bytesMax: 100)
        #expect(budget.take(bytes: 200) == nil)
        #expect(budget.take(bytes: 1)?.code == "QUEUE_FULL")
        budget.giveBack(bytes: 200)
        #expect(budget.take(bytes: 60) == nil)
        #expect(budget.take(bytes: 41)?.code == "QUEUE_FULL")
        #expect(budget.take(bytes: 40) == nil)
    }

    @Test func `never makes a key twice, and none over the server's limit`() {
        let budgets = (0..<3).map { _ in CallBudget(callsMax: 1, bytesMax: 1) }
        let keys = budgets.flatMap { budget in (0..<1_000).map { _ in budget.nextKey() } }
        #expect(Set(keys).count == keys.count)
        #expect(keys.allSatisfy { (20...60).contains($0.utf8.count) })
    }
}
