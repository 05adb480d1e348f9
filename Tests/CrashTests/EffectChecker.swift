import OrderedJSON

/// Compares a server's effects with the answers that clients received and with the payment server's
/// requests. Every check throws a `CheckFailure` that names the instance.
///
/// The workload must have ended: no effect is still running.
struct EffectChecker {
    /// The counts of the compared data.
    struct Counts: CustomStringConvertible {
        var steps = 0
        /// Charges, refunds, timers, sends and children that were executed.
        var effects = 0
        var requests = 0
        /// Requests for effects that had already been answered with success.
        var duplicates = 0
        var ticks = 0
        var sends = 0
        var children = 0

        var description: String {
            "\(steps) steps, \(effects) effects, \(requests) http requests with \(duplicates) "
                + "repeated after an answer, \(ticks) ticks, \(sends) sends, \(children) children"
        }
    }

    let evidence: EffectEvidence
    var counts = Counts()
    /// The requests to the payment server, by the order's name.
    private var requests: [String: [PaymentServer.Request]] = [:]

    /// Checks everything.
    static func check(_ evidence: EffectEvidence) throws -> Counts {
        var checker = EffectChecker(evidence: evidence)
        try checker.checkSteps()
        try checker.checkRequests()
        for (name, order) in evidence.instances(of: "order") {
            try checker.checkCharges(of: name, order)
            try checker.checkRefunds(of: name, order)
            try checker.checkRest(of: name, order)
        }
        for (name, clock) in evidence.instances(of: "periodic") {
            try checker.checkTicks(of: name, clock)
        }
        try checker.checkSends()
        try checker.checkChildren()
        return checker.counts
    }

    private init(evidence: EffectEvidence) { self.evidence = evidence }

    /// Throws if the condition is false.
    func require(_ isTrue: Bool, _ problem: @autoclosure () -> String) throws {
        if !isTrue { throw CheckFailure(problem()) }
    }

    // MARK: Steps

    /// The events that only effects cause in this workload. All others were sent with a key.
    private static let ofEffects: [String: Set<String>] = [
        "order": ["charged", "failed", "parcel", "refunded"], "periodic": ["tick"],
        "shipment": ["pack"], "counter": ["increment"],
    ]

    /// Checks that each acknowledged event is there exactly once and under its version, without
    /// holes, and that no event is there that wasn't sent.
    private mutating func checkSteps() throws {
        for (name, instance) in evidence.instances {
            let machine = String(name.prefix { $0 != "/" })
            var keys: Set<String> = []
            for (index, step) in instance.steps.enumerated() {
                try require(
                    step.version == Int64(index + 1), "\(name): no version \(index + 1)")
                guard let key = step.dedup else {
                    try require(
                        Self.ofEffects[machine]?.contains(step.name) == true,
                        "\(name): nobody sent \(step.name), version \(step.version)")
                    continue
                }
                try require(keys.insert(key).inserted, "\(name): \(key) was applied twice")
                try require(
                    evidence.sent.contains(Workload.Sent(instance: name, key: key)),
                    "\(name): \(key) is there, and nobody sent it")
            }
            counts.steps += instance.steps.count
        }
        for (sent, version) in evidence.acknowledged {
            let steps = evidence.instances[sent.instance]?.steps ?? []
            try require(
                steps.first { $0.dedup == sent.key }?.version == version,
                "\(sent.key) was acknowledged as version \(version), and isn't there")
        }
    }

    // MARK: Charges and refunds

    /// Checks that each effect has one key: all requests with the same key are identical.
    private mutating func checkRequests() throws {
        var first: [String: PaymentServer.Request] = [:]
        var isAnswered: Set<String> = []
        for request in evidence.requests {
            try require(!request.key.isEmpty, "a request without Idempotency-Key: \(request)")
            let known = first[request.key, default: request]
            first[request.key] = known
            try require(
                (known.method, known.path, known.body)
                    == (request.method, request.path, request.body),
                "\(request.key) is the key of two requests: \(known.body) \(request.body)")
            counts.requests += 1
            if isAnswered.contains(request.key) { counts.duplicates += 1 }
            if request.answer == 200 { isAnswered.insert(request.key) }
            let name = try orderName(of: request)
            try require(
                evidence.instances["order/\(name)"] != nil,
                "a request for an order that isn't there: \(request)")
            requests[name, default: []].append(request)
        }
    }

    private func orderName(of request: PaymentServer.Request) throws -> String {
        guard let body = try? JSONValue(parsing: Array(request.body.utf8)),
            let name = body["order"]?.string
        else { throw CheckFailure("a request for no order: \(request)") }
        return name
    }

    /// Returns the requests of an order's effects on a path, grouped by key, in the order in which
    /// the effects were requested.
    private func effects(of name: String, path: String) throws -> [[PaymentServer.Request]] {
        let ofPath = (requests[name] ?? []).filter { $0.path == path }
        let runs = Dictionary(grouping: ofPath) { $0.key }
        return try runs.sorted { try run($0.key) < run($1.key) }.map(\.value)
    }

    /// Returns the effect number at the end of a key.
    private func run(_ key: String) throws -> Int {
        guard let run = key.split(separator: "-").last.flatMap({ Int($0) }) else {
            throw CheckFailure("\(key) is no key of an effect")
        }
        return run
    }

    /// Checks that each charge reached the payment server under its own key, and that it had one
    /// result, which was applied once.
    private mutating func checkCharges(
        of name: String, _ order: EffectEvidence.Instance
    ) throws {
        let runs = try effects(of: name, path: "/charge")
        let charges = order.steps.indices.filter { order.steps[$0].name == "charge" }
        try require(
            runs.count == charges.count,
            "\(name): \(charges.count) charges, and \(runs.count) came to the server")
        for (requests, index) in zip(runs, charges) {
            guard order.steps.indices.contains(index + 1) else {
                throw CheckFailure("\(name): a charge without a result")
            }
            let result = order.steps[index + 1]
            let isDeclined = result.event["reason"]?.string?.contains("402") == true
            switch result.name {
            case "charged":
                try require(
                    requests.contains { $0.answer == 200 },
                    "\(name): charged, but the server never said so")
            case "failed":
                try require(
                    isDeclined ? requests.contains { $0.answer == 402 } : requests.count >= 5,
                    "\(name): failed after \(requests.count) requests: \(result.event)")
            default: throw CheckFailure("\(name): \(result.name) while it was being charged")
            }
            let amount = order.steps[index].outputs.first?["amount"]?.integer
            let body = #"{"order":"\#(name)","amount":\#(amount ?? -1)}"#
            try require(requests[0].body == body, "\(name): \(requests[0].body) for \(body)")
            try require(requests[0].method == "POST", "\(name): \(requests[0].method)")
            counts.effects += 1
        }
        try checkResults(of: name, order, charges: charges)
    }

    /// Checks that no result lacks a charge, and that no payment happened twice.
    private func checkResults(
        of name: String, _ order: EffectEvidence.Instance, charges: [Int]
    ) throws {
        let results = order.steps.indices.filter { index in
            order.steps[index].name == "charged"
                || order.steps[index].event["work"] == "charge"
        }
        try require(
            results == charges.map { $0 + 1 }, "\(name): a result without a charge, or two")
        let payments = order.steps.flatMap(\.outputs).filter { $0["type"] == "payment" }
        let paid = order.steps.filter { $0.name == "pay" || $0.name == "charged" }
        try require(
            payments.count == paid.count && payments.count <= 1,
            "\(name): \(payments.count) payments")
        if let payment = payments.first {
            try require(
                payment["paid"] == order.state["total"] && order.state["paid"] == payment["paid"],
                "\(name): paid \(payment), and is \(order.state)")
        }
    }

    /// Checks that each charged and canceled order is refunded once, and no other order.
    private mutating func checkRefunds(
        of name: String, _ order: EffectEvidence.Instance
    ) throws {
        let runs = try effects(of: name, path: "/charge/refund")
        let isCharged = order.steps.contains { $0.name == "charged" }
        let isDue = isCharged && order.steps.contains { $0.name == "cancel" }
        let refunds = order.steps.filter { $0.name == "refunded" }.count
        try require(
            runs.count == (isDue ? 1 : 0) && refunds == runs.count,
            "\(name): \(runs.count) refunds at the server, \(refunds) in the order")
        for requests in runs {
            try require(
                requests.contains { $0.answer == 200 },
                "\(name): refunded, but the server never said so")
            let charge = try effects(of: name, path: "/charge").last?.first
            try require(
                charge?.body == requests[0].body, "\(name): refunds \(requests[0].body)")
            counts.effects += 1
        }
    }
}
