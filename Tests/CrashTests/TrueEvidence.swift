import OrderedJSON

/// Correct evidence of a small run, which the tests of the checker falsify: an order that is
/// delivered, one that is refunded, one that is declined, one that waits, and a clock that sends
/// its ticks to a counter.
enum TrueEvidence {
    /// 2026-09-21T14:13:20Z.
    private static let begin: Int64 = 1_790_000_000_000
    /// Half an hour after ``begin``.
    private static let due = "2026-09-21T14:43:20.000Z"

    /// A step in the evidence: the applied event, its key, and the outputs.
    private typealias Told = (event: JSONValue, key: String?, outputs: [JSONValue])

    static func make() throws -> EffectEvidence {
        var evidence = EffectEvidence()
        addOrders(to: &evidence)
        addClock(to: &evidence)
        evidence.requests = [
            request("f-1-2", "o"), request("f-1-2", "o"), request("f-2-2", "r"),
            request("f-2-4", "r", path: "/charge/refund"), request("f-3-2", "d", answer: 402),
        ]
        evidence.lastDeath = begin + 60
        return evidence
    }

    private static func request(
        _ key: String, _ order: String, path: String = "/charge", answer: Int = 200
    ) -> PaymentServer.Request {
        PaymentServer.Request(
            key: key, method: "POST", path: path,
            body: #"{"order":"\#(order)","amount":30}"#, answer: answer)
    }

    private static func addOrders(to evidence: inout EffectEvidence) {
        let place: JSONValue = ["type": "place", "total": 30]
        let charge: JSONValue = ["type": "charge", "url": "u"]
        let charging: JSONValue = ["type": "charging", "amount": 30]
        let payment: JSONValue = ["type": "payment", "paid": 30, "due": 0]
        let declined: JSONValue = [
            "type": "failed", "work": "charge",
            "reason": "the server answered 402",
        ]
        let head: [Told] = [(place, "#0", ["placed"]), (charge, "#1", [charging])]
        add(
            "order/o",
            head + [
                ("charged", nil, [payment]),
                (["type": "ship", "track": "T-1"], "#2", ["shipped"]),
                (["type": "parcel", "value": "delivered"], nil, ["delivered"]),
            ], state: state("delivered", paid: 30), isDone: true, to: &evidence)
        add(
            "order/r",
            head + [
                ("charged", nil, [payment]),
                (["type": "cancel", "reason": "x"], "#2", [["type": "refunding", "amount": 30]]),
                ("refunded", nil, [["type": "cancelled", "refund": 0]]),
            ], state: state("cancelled", paid: 30), isDone: true, to: &evidence)
        add(
            "order/d", head + [(declined, nil, [declined])], state: state("placed", paid: 0),
            to: &evidence)
        add("order/w", [head[0]], state: state("placed", paid: 0), to: &evidence)
        for (name, due) in [("order/d", "\(due.dropLast(4))100Z"), ("order/w", due)] {
            evidence.instances[name]?.timers = [
                ["effect": 1, "id": "payment", "event": "expire", "due": .string(due)]
            ]
        }
        add(
            "shipment/o~3",
            [
                (["type": "pack", "track": "T-1"], nil, ["packed"]),
                ("leave", "s#0", ["on_the_way"]), ("deliver", "s#1", ["delivered"]),
            ], state: ["status": "delivered", "track": "T-1"], isDone: true, to: &evidence)
    }

    private static func state(_ status: String, paid: Int64) -> JSONValue {
        ["status": .string(status), "total": 30, "paid": .integer(paid)]
    }

    private static func addClock(to evidence: inout EffectEvidence) {
        let start: JSONValue = [
            "type": "start", "every_ms": 50, "to": "counter/c", "event": "increment",
        ]
        let ticks: [Told] = (Int64(1)...3).map {
            ("tick", nil, [["type": "tick", "number": .integer($0)]])
        }
        add(
            "periodic/p",
            [(start, "p#0", [["type": "started", "every_ms": 50]])] + ticks
                + [("stop", "p#1", [["type": "stopped", "ticks": 3]])],
            state: ["ticks": 3], to: &evidence)
        add(
            "counter/c", (Int64(1)...3).map { ("increment", nil, [.integer($0)]) },
            state: ["count": 3], to: &evidence)
    }

    /// Adds an instance whose steps are 50 ms apart. A key that begins with `#` gets the name as
    /// prefix.
    private static func add(
        _ name: String, _ steps: [Told], state: JSONValue, isDone: Bool = false,
        to evidence: inout EffectEvidence
    ) {
        var instance = EffectEvidence.Instance(state: state, isDone: isDone)
        for (index, told) in steps.enumerated() {
            let key = told.key.map { $0.hasPrefix("#") ? name.dropFirst(6) + $0 : $0 }
            let version = Int64(index + 1)
            instance.steps.append(
                EffectEvidence.Step(
                    version: version, at: begin + 50 * Int64(index), event: told.event,
                    outputs: told.outputs, dedup: key))
            guard let key else { continue }
            let sent = Workload.Sent(instance: name, key: key)
            evidence.sent.insert(sent)
            evidence.acknowledged[sent] = version
        }
        evidence.instances[name] = instance
    }
}
