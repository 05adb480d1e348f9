import GroveTestSupport

/// Chooses random effects for robots to request.
struct PlanMaker {
    /// The robots that may receive sends.
    let robots: [String]
    private var tags = 0
    private var serials = 0

    init(robots: [String]) { self.robots = robots }

    mutating func makeSerial() -> Int {
        serials += 1
        return serials
    }

    private mutating func makeTag(_ kind: String) -> String {
        tags += 1
        return "\(kind)\(tags)"
    }

    /// Returns a delay between milliseconds and years; short ones are more frequent.
    static func makeDelay(_ random: inout SeededRandom) -> Int64 {
        let hour = 3_600_000
        let bound = random.pick([
            1, 50, 50, 1_000, 1_000, 60_000, hour, 24 * hour, 365 * 24 * hour,
            5 * 365 * 24 * hour,
        ])
        return Int64(random.below(bound))
    }

    mutating func makeOrder(_ random: inout SeededRandom, depth: Int = 0) -> Robot.Order {
        let count = random.pick([1, 1, 2, 3, 6])
        let serial = makeSerial()
        let plans = (0..<count).map { _ in makePlan(&random, depth: depth) }
        return Robot.Order(serial: serial, plans: plans)
    }

    /// Returns the effects of a robot's last step. Their results are dropped.
    mutating func makeLastOrder(_ random: inout SeededRandom) -> Robot.Order {
        let plans = (0..<random.below(3)).map { _ in
            random.chance(500) ? makeWork(&random) : makeSend(&random)
        }
        return Robot.Order(serial: makeSerial(), plans: plans)
    }

    /// Returns more children than one batch can stop.
    mutating func makeBrood() -> Robot.Order {
        let serial = makeSerial()
        let plans = (0..<150).map { _ in
            Robot.Plan.child(
                tag: makeTag("c"), isDetached: false,
                order: Robot.Order(serial: makeSerial(), plans: []))
        }
        return Robot.Order(serial: serial, plans: plans)
    }

    private mutating func makePlan(_ random: inout SeededRandom, depth: Int) -> Robot.Plan {
        switch random.below(20) {
        case 0, 1: return makeTimer(&random)
        case 2:
            let slot = "slot\(random.below(2))"
            return .timer(
                tag: makeTag("t"), slot: slot, milliseconds: Self.makeDelay(&random))
        case 3, 4, 5: return makeWork(&random)
        case 6:
            let tag = makeTag("w")
            let slot = "slot\(random.below(2))"
            return .work(Robot.Work(tag: tag, slot: slot, keepsOldest: random.chance(400)))
        case 7, 8:
            let line = random.pick(Robot.Line.allCases)
            return .work(Robot.Work(tag: makeTag("q"), handler: "scarce", tries: 2, line: line))
        case 9, 10, 11: return makeSend(&random)
        case 12, 13: return makeChild(&random, depth: depth)
        case 14: return makeAsk(&random)
        case 15: return makeSequence(&random, depth: depth)
        case 16: return .compensate(tag: makeTag("u"))
        case 17: return .cancel(id: random.pick(["slot0", "slot1", "t\(random.below(tags + 1))"]))
        case 18 where random.chance(200): return .cancelAll
        case 18: return .cancelPrefix(random.pick(["t", "w", "q", "slot", "a", "c"]))
        default:
            return .work(Robot.Work(tag: makeTag("w"), tries: 3, isUndoable: true))
        }
    }

    private mutating func makeTimer(_ random: inout SeededRandom) -> Robot.Plan {
        .timer(tag: makeTag("t"), slot: nil, milliseconds: Self.makeDelay(&random))
    }

    private mutating func makeWork(_ random: inout SeededRandom) -> Robot.Plan {
        .work(
            Robot.Work(
                tag: makeTag("w"), handler: random.pick(["work", "work", "scarce"]),
                tries: 1 + random.below(4), stream: random.pick([0, 0, 1, 4])))
    }

    private mutating func makeSend(_ random: inout SeededRandom) -> Robot.Plan {
        let delay = random.chance(500) ? 0 : Self.makeDelay(&random)
        return .send(tag: makeTag("s"), to: random.pick(robots), milliseconds: delay)
    }

    private mutating func makeAsk(_ random: inout SeededRandom) -> Robot.Plan {
        let delay = random.chance(300) ? nil : Self.makeDelay(&random)
        return .ask(tag: makeTag("a"), milliseconds: delay)
    }

    private mutating func makeChild(
        _ random: inout SeededRandom, depth: Int
    ) -> Robot.Plan {
        let tag = makeTag("c")
        var order = Robot.Order(serial: makeSerial(), plans: [])
        if depth < 2, random.chance(700) {
            order = makeOrder(&random, depth: depth + 1)
            if random.chance(500) {
                order.plans.append(
                    .end(
                        tag: makeTag("e"), milliseconds: Self.makeDelay(&random), result: tag))
            }
        }
        return .child(tag: tag, isDetached: random.chance(300), order: order)
    }

    private mutating func makeSequence(
        _ random: inout SeededRandom, depth: Int
    ) -> Robot.Plan {
        // Events at the start of a sequence would be part of the step itself.
        var parts = [random.chance(500) ? makeWork(&random) : makeTimer(&random)]
        for _ in 0..<(1 + random.below(4)) {
            switch random.below(6) {
            case 0: parts.append(makeTimer(&random))
            case 1: parts.append(makeWork(&random))
            case 2: parts.append(makeSend(&random))
            case 3 where depth < 2:
                parts.append(makeSequence(&random, depth: depth + 1))
            case 4: parts.append(.all([makeWork(&random), makeTimer(&random)]))
            default: parts.append(.apply(tag: makeTag("x")))
            }
        }
        return .sequence(parts)
    }
}
