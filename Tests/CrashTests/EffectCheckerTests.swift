import OrderedJSON
import Testing

/// Tests the test: ``EffectChecker`` accepts correct evidence, and complains about each kind of
/// falsified evidence.
@Suite("EffectChecker")
struct EffectCheckerTests {
    /// A way to falsify evidence, and the text that the complaint must contain.
    struct Falsification: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let complaint: String
        let falsify: @Sendable (inout EffectEvidence) -> Void

        init(
            _ description: String, _ complaint: String,
            _ falsify: @escaping @Sendable (inout EffectEvidence) -> Void
        ) {
            testDescription = description
            self.complaint = complaint
            self.falsify = falsify
        }
    }

    @Test func `accepts what happened, and counts it`() throws {
        let counts = try EffectChecker.check(TrueEvidence.make())
        #expect(counts.steps == 25)
        #expect(counts.requests == 5)
        #expect(counts.duplicates == 1)
        #expect(counts.ticks == 3)
        #expect(counts.sends == 3)
        #expect(counts.children == 1)
    }

    @Test(arguments: ofSteps + ofCharges + ofTimers + ofSends + ofChildren)
    func `complains about`(falsification: Falsification) throws {
        var evidence = try TrueEvidence.make()
        falsification.falsify(&evidence)
        let failure = #expect(throws: CheckFailure.self) { try EffectChecker.check(evidence) }
        let text = failure?.description ?? ""
        #expect(text.contains(falsification.complaint), "\(text)")
    }

    private static let ofSteps = [
        Falsification("an acknowledged event that is gone", "was acknowledged as version 2") {
            $0.instances["order/w"] = nil
            $0.acknowledged[Workload.Sent(instance: "order/w", key: "w#0")] = 2
        },
        Falsification("a key that is there twice", "was applied twice") {
            $0.instances["periodic/p"]?.steps[4].dedup = "p#0"
        },
        Falsification("a hole", "no version 2") {
            $0.instances["order/o"]?.steps.remove(at: 1)
        },
        Falsification("an event that nobody sent", "nobody sent deliver") {
            $0.instances["shipment/o~3"]?.steps[2].dedup = nil
        },
    ]

    private static let ofCharges = [
        Falsification("a missing charge", "1 charges, and 0 came") {
            $0.requests.removeAll { $0.key == "f-1-2" }
        },
        Falsification("a charge under a second key", "1 charges, and 2 came") {
            $0.requests[1].key = "f-1-9"
        },
        Falsification("one key for two effects", "is the key of two requests") {
            $0.requests[2].key = "f-1-2"
        },
        Falsification("a charge of another amount", #"for {"order":"o","amount":30}"#) {
            for index in [0, 1] { $0.requests[index].body = #"{"order":"o","amount":31}"# }
        },
        Falsification("a result that the server didn't give", "the server never said so") {
            $0.requests[0].answer = nil
            $0.requests[1].answer = 503
        },
        Falsification("a doubled result", "a result without a charge, or two") {
            $0.instances["order/o"]?.repeatStep(2)
            $0.acknowledged = [:]
        },
        Falsification("a doubled payment", "2 payments") {
            guard let payment = $0.instances["order/o"]?.steps[2].outputs else { return }
            $0.instances["order/o"]?.steps[2].outputs += payment
        },
        Falsification("a charge without a result", "a charge without a result") {
            $0.instances["order/r"]?.steps.removeLast(3)
            $0.acknowledged = [:]
        },
        Falsification("a missing refund", "0 refunds at the server, 1 in the order") {
            $0.requests.removeAll { $0.path.hasSuffix("/refund") }
        },
        Falsification("a refund that wasn't due", "1 refunds at the server") {
            $0.requests[3].body = #"{"order":"o","amount":30}"#
        },
        Falsification("a refund that was applied twice", "2 in the order") {
            $0.instances["order/r"]?.repeatStep(4)
        },
    ]

    private static let ofTimers = [
        Falsification("a lost timer", "w: timers []") {
            $0.instances["order/w"]?.timers = []
        },
        Falsification("a timer at another time", "expires at") {
            $0.instances["order/w"]?.steps[0].at += 1
        },
        Falsification("a timer that should be gone", "delivered, and timers") {
            $0.instances["order/o"]?.timers = [["effect": 1, "id": "payment"]]
        },
        Falsification("an early tick", "a tick 49 ms after") {
            $0.instances["periodic/p"]?.steps[2].at -= 1
        },
        Falsification("a tick after the stop", "ticks while stopped") {
            $0.instances["periodic/p"]?.steps.swapAt(3, 4)
            for index in [3, 4] {
                $0.instances["periodic/p"]?.steps[index].version = Int64(index + 1)
            }
            $0.acknowledged = [:]
        },
        Falsification("a doubled tick", "not tick 3") {
            $0.instances["periodic/p"]?.steps[3].outputs = [["type": "tick", "number": 2]]
        },
        Falsification("a clock that stood still after the crash", "did not go on") {
            $0.lastDeath += 1_000
        },
    ]

    private static let ofSends = [
        Falsification("a lost send", "3 ticks were sent to it") {
            $0.instances["counter/c"]?.steps.removeLast()
            $0.instances["counter/c"]?.state = ["count": 2]
        },
        Falsification("a doubled send", "3 ticks were sent to it") {
            $0.instances["counter/c"]?.repeatStep(0)
            $0.instances["counter/c"]?.state = ["count": 4]
        },
        Falsification("sends to a counter that isn't there", "counters that aren't there") {
            $0.instances["counter/c"] = nil
        },
    ]

    private static let ofChildren = [
        Falsification("an orphan", "a parcel without an order") {
            $0.instances["shipment/x~1"] = $0.instances["shipment/o~3"]
            $0.acknowledged = [:]
            $0.sent.formUnion(
                ["s#0", "s#1"].map { Workload.Sent(instance: "shipment/x~1", key: $0) })
        },
        Falsification("a second child", "and the parcels are") {
            $0.instances["shipment/o~4"] = $0.instances["shipment/o~3"]
            $0.sent.formUnion(
                ["s#0", "s#1"].map { Workload.Sent(instance: "shipment/o~4", key: $0) })
        },
        Falsification("a missing child", "and the parcels are") {
            $0.instances["shipment/o~3"] = nil
            $0.acknowledged = [:]
        },
        Falsification("a child that outlives its order", "of its parcels go on") {
            $0.instances["shipment/o~3"]?.isDone = false
        },
        Falsification("an end that the order wasn't told", "and it was told") {
            $0.instances["shipment/o~3"]?.state = ["status": "lost", "track": "T-1"]
        },
        Falsification("an effect that outlives its order", "delivered, and effects") {
            $0.instances["order/o"]?.effects = [["effect": 3, "phase": "child"]]
        },
    ]
}

extension EffectEvidence.Instance {
    /// Repeats a step and renumbers the ones after it.
    fileprivate mutating func repeatStep(_ index: Int) {
        steps.insert(steps[index], at: index)
        for index in steps.indices { steps[index].version = Int64(index + 1) }
    }
}
