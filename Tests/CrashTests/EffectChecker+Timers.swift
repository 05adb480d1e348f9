import OrderedJSON

extension EffectChecker {
    /// The time in which an order must be paid, in milliseconds.
    private static let paymentMilliseconds: Int64 = 1_800_000

    /// Checks an order's remaining effects. An unpaid order has its timer, a shipped one its
    /// parcel, and an ended one nothing.
    mutating func checkRest(of name: String, _ order: EffectEvidence.Instance) throws {
        let status = order.state["status"]?.string ?? ""
        let isEnd = ["delivered", "cancelled"].contains(status)
        try require(
            isEnd || ["placed", "shipped"].contains(status), "\(name): is \(status) in the end")
        try require(order.isDone == isEnd, "\(name): \(status), and done is \(order.isDone)")
        if status == "placed" {
            // The half hour restarts after a failed charge.
            guard let since = order.steps.last, order.timers.count == 1 else {
                throw CheckFailure("\(name): timers \(order.timers)")
            }
            try require(
                since.name == "place" || since.name == "failed", "\(name): \(since.name) last")
            let due = try EffectEvidence.milliseconds(order.timers[0]["due"]?.string)
            try require(
                due == since.at + Self.paymentMilliseconds,
                "\(name): expires at \(due), placed at \(since.at)")
            counts.effects += 1
        } else {
            try require(order.timers.isEmpty, "\(name): \(status), and timers \(order.timers)")
        }
        // A charge that could still be undone stays stored as completed.
        let live = order.effects.filter { $0["phase"] != "completed" }
        try require(
            live.count == (status == "shipped" ? 1 : 0)
                && live.allSatisfy { $0["phase"] == "child" } && !(isEnd && !order.effects.isEmpty),
            "\(name): \(status), and effects \(order.effects)")
    }

    /// Checks that no tick is early, that none is counted twice, and that the clock ticked after
    /// the last crash.
    mutating func checkTicks(of name: String, _ clock: EffectEvidence.Instance) throws {
        var interval: Int64?
        var ticks: Int64 = 0
        var before: Int64 = 0
        for step in clock.steps {
            switch step.name {
            case "start":
                if interval == nil { ticks = 0 }
                interval = step.event["every_ms"]?.integer
            case "tick":
                guard let interval else { throw CheckFailure("\(name): ticks while stopped") }
                ticks += 1
                counts.ticks += 1
                counts.effects += 1
                try require(
                    step.at >= before + interval,
                    "\(name): version \(step.version) is a tick \(step.at - before) ms after the "
                        + "step before it; the interval is \(interval)")
                try require(
                    step.outputs.first?["number"]?.integer == ticks,
                    "\(name): version \(step.version) tells \(step.outputs), not tick \(ticks)")
            default: interval = nil
            }
            before = step.at
        }
        let last = clock.steps.last { $0.name == "tick" }
        try require(
            clock.steps.last?.name == "stop" && last.map { $0.at > evidence.lastDeath } == true,
            "\(name): did not go on after the last crash")
        try require(
            clock.timers.isEmpty && clock.effects.isEmpty,
            "\(name): stopped, and has \(clock.timers) \(clock.effects)")
    }

    /// Checks that every tick sent to a counter arrived once, and that nothing else arrived there.
    mutating func checkSends() throws {
        var sent: [String: Int] = [:]
        for (_, clock) in evidence.instances(of: "periodic") {
            var target: String?
            for step in clock.steps {
                switch step.name {
                case "start": target = step.event["to"]?.string
                case "tick": if let target { sent[target, default: 0] += 1 }
                default: target = nil
                }
            }
        }
        for (name, counter) in evidence.instances(of: "counter") {
            let count = sent.removeValue(forKey: "counter/\(name)") ?? 0
            try require(
                counter.state["count"]?.integer == Int64(count) && counter.steps.count == count,
                "\(name): \(count) ticks were sent to it, and it is \(counter.state) after "
                    + "\(counter.steps.count) steps")
            counts.sends += count
            counts.effects += count
        }
        try require(sent.isEmpty, "sent to counters that aren't there: \(sent)")
    }
}
