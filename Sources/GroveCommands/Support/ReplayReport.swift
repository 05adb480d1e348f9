import GroveEngine
import OrderedJSON

/// What a replay with other machines has found, instance by instance. Of the instances that differ,
/// the first ones are shown, and the others are counted.
struct ReplayReport {
    /// An instance that differs.
    private struct Outcome {
        /// Events that are refused, and steps with other outputs.
        var refusals: Int64 = 0
        var otherOutputs: Int64 = 0
        /// Whether its last step so far leads to another state.
        var endsElsewhere = false
        /// Whether its replay has ended, because a state can't be read.
        var isLost = false
        /// Its place among those that are shown.
        var place: Int?
    }

    private let limit: Int
    private var differing: [InstanceNumber: Outcome] = [:]
    private var shown: [(number: InstanceNumber, first: ShownDivergence)] = []
    private var obstacles: [Replay.Obstacle: (count: Int64, example: InstanceName)] = [:]
    /// The instances of the machines that are tried.
    var instances: Int64 = 0
    /// The events that were applied.
    var steps: Int64 = 0

    /// - Parameter limit: The number of instances that are shown.
    init(limit: Int) { self.limit = limit }

    /// Adds a step of the journal, with its divergence if it has one.
    mutating func add(_ record: JournalRecord, _ divergence: Replay.Divergence?) {
        let number = record.number
        guard let divergence else {
            if record.makesVersion, differing[number]?.isLost == false {
                differing[number]?.endsElsewhere = false
            }
            return
        }
        var outcome = differing[number] ?? Outcome()
        if differing[number] == nil, shown.count < limit {
            outcome.place = shown.count
            shown.append((number, ShownDivergence(divergence)))
        }
        let parts = divergence.parts
        if parts.contains(.refusal) { outcome.refusals += 1 }
        if parts.contains(.outputs) { outcome.otherOutputs += 1 }
        outcome.isLost = parts.contains(.unreadable)
        outcome.endsElsewhere = !parts.isDisjoint(with: [.state, .end, .unreadable])
        differing[number] = outcome
    }

    /// Adds an instance that can't be replayed, or not to its end. One that differs before is
    /// counted as such.
    mutating func add(
        _ obstacle: Replay.Obstacle, of name: InstanceName, _ number: InstanceNumber? = nil
    ) {
        if let number, differing[number] != nil {
            differing[number]?.isLost = true
            return
        }
        obstacles[obstacle, default: (0, name)].count += 1
    }

    // MARK: Results

    var hasDifferences: Bool { !differing.isEmpty }

    var notReplayed: Int64 { obstacles.values.reduce(0) { $0 + $1.count } }

    private var differingCount: Int64 { Int64(differing.count) }

    private func count(where isMeant: (Outcome) -> Bool) -> Int64 {
        Int64(differing.values.count(where: isMeant))
    }

    /// Writes the instances that differ, the reasons why others aren't replayed, and the totals.
    func write(_ format: FormatFlags) throws {
        for (number, first) in shown {
            guard let outcome = differing[number] else { continue }
            if format.json {
                try Output.line(json(first, outcome))
            } else {
                for line in first.lines(format.style) + [end(outcome)] { try Output.line(line) }
            }
        }
        guard !format.json else { return try Output.line(totals) }
        let rest = differing.count - shown.count
        if rest > 0 { try Output.line("… and \(counted(rest, "more instance")) that differ") }
        for obstacle in Replay.Obstacle.allCases {
            guard let found = obstacles[obstacle] else { continue }
            try Output.line(
                "not replayed  \(found.count)  \(obstacle.words), such as "
                    + format.style.safe(found.example.text))
        }
        try Output.line(text(format.style))
    }

    private func end(_ outcome: Outcome) -> String {
        var parts: [String] = []
        if outcome.refusals > 0 {
            parts.append(counted(Int(outcome.refusals), "event") + " refused")
        }
        if outcome.otherOutputs > 0 {
            parts.append(counted(Int(outcome.otherOutputs), "step") + " with other outputs")
        }
        let end =
            outcome.isLost
            ? "not replayed further"
            : outcome.endsElsewhere ? "ends in another state" : "ends in the same state"
        return "  in all  " + (parts + [end]).joined(separator: ", ")
    }

    /// The totals as a sentence.
    private func text(_ style: Style) -> String {
        let same = instances - differingCount - notReplayed
        var text = "\(counted(Int(instances), "instance")): "
        text += style.paint("\(same) the same", hasDifferences ? .plain : .good)
        if hasDifferences {
            text += ", " + style.paint("\(differingCount) differ", .bad)
            let parts = [
                (count { $0.endsElsewhere }, "in the end"), (count { $0.refusals > 0 }, "refuse"),
                (count { $0.otherOutputs > 0 }, "in outputs"),
            ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            if !parts.isEmpty { text += " (" + parts.joined(separator: ", ") + ")" }
        }
        if notReplayed > 0 { text += ", \(notReplayed) not replayed" }
        return text + "; " + counted(Int(steps), "event")
    }

    private var totals: [UInt8] {
        var reasons = JSONObject()
        for obstacle in Replay.Obstacle.allCases {
            if let found = obstacles[obstacle] {
                reasons[obstacle.rawValue] = .integer(found.count)
            }
        }
        let object: JSONObject = [
            "instances": .integer(instances),
            "same": .integer(instances - differingCount - notReplayed),
            "differ": .integer(differingCount),
            "other_end": .integer(count { $0.endsElsewhere }),
            "refuse": .integer(count { $0.refusals > 0 }),
            "other_outputs": .integer(count { $0.otherOutputs > 0 }),
            "not_replayed": .object(reasons), "events": .integer(steps),
            "shown": .integer(Int64(shown.count)),
        ]
        return JSONValue.object(object).serialized()
    }

    private func json(_ first: ShownDivergence, _ outcome: Outcome) -> [UInt8] {
        var object = first.json
        object["refused"] = .integer(outcome.refusals)
        object["other_outputs"] = .integer(outcome.otherOutputs)
        object["other_end"] = .bool(outcome.endsElsewhere)
        return JSONValue.object(object).serialized()
    }
}

extension Replay.Obstacle {
    /// The reason in words.
    fileprivate var words: String {
        switch self {
        case .noBeginning: "the journal doesn't hold the beginning of their history"
        case .noMachine: "there is no machine of their name"
        case .noVersion: "a version that stored some of their states isn't there any more"
        case .unknownVersion: "an old file doesn't say which version stored their states"
        }
    }
}
