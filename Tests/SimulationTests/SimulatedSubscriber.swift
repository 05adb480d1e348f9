import GroveEngine
import GroveTestSupport
import OrderedJSON

/// A subscriber that keeps the last cursor it received and resumes from it after any disconnect. It
/// reads at its own pace and grants credit in random amounts.
final class SimulatedSubscriber {
    private enum Start { case first, now, snapshot }

    private let start: Start
    private let kinds: [String]
    private let instance: String?
    private let hasCredit: Bool

    private var wire: Wire?
    private var isSubscribed = false
    /// The cursor to resume from. Everything that the client has seen is at or before it.
    private var cursor: String?
    /// The place after which the subscription promises records.
    private var base: Place?
    private var snapshot: [(instance: String, version: Int64, count: Int64)] = []
    private var isInSnapshot = false
    private var seen: [JournalModel.Record] = []
    /// The reported gaps: `from` is exclusive, `to` is inclusive.
    private var gaps: [(from: Place, to: Place)] = []
    /// The oldest step that the journal holds. A gap may only cover earlier steps.
    var floor: JournalPosition = 1
    private var granted = 0
    private var spent = 0
    private var isLive = false
    /// The credit in requests without an answer, by request. The entry of `subscribe` is its first
    /// grant.
    private var asked: [Int: Int] = [:]

    init(_ random: inout SeededRandom, instances: [String]) {
        start = random.pick([.first, .now, .snapshot])
        kinds = random.pick([
            ["output", "state", "lifecycle"], ["output"], ["state"], ["lifecycle"],
            ["output", "state"],
        ])
        instance = random.chance(500) ? random.pick(instances) : nil
        hasCredit = random.chance(400)
    }

    var connection: ConnectionID? { wire?.id }

    /// Whether the subscriber has received everything up to the head.
    func hasCaughtUp(_ model: JournalModel) -> Bool {
        isLive && !isInSnapshot && seen.count == expected(model).count
    }

    // MARK: Requests

    func act(_ server: InMemoryServer, _ random: inout SeededRandom) {
        if wire == nil { wire = Wire(server) }
        guard asked.isEmpty else { return }
        if !isSubscribed {
            subscribe(&random)
        } else if hasCredit, granted - spent < 20 {
            let count = 1 + random.below(10)
            if let id = wire?.send(#""op":"credit","sub":"s","n":\#(count)"#) {
                asked[id] = count
            }
        }
    }

    private func subscribe(_ random: inout SeededRandom) {
        var members = #""op":"subscribe","sub":"s","select":{"machine":"counter","kind":"#
        members += "[\(kinds.map { "\"\($0)\"" }.joined(separator: ","))]"
        if let instance {
            members += #","instance":"\#(instance.dropFirst("counter/".count))""#
        }
        members += "}"
        granted = 0
        spent = 0
        isLive = false
        let grant = random.below(6)
        if hasCredit { members += #","credit":\#(grant)"# }
        if let cursor {
            members += #","from":{"after":"\#(cursor)"}"#
        } else {
            base = nil
            if start == .first { members += #","from":"first""# }
            if start == .snapshot { members += #","snapshot":true"# }
            isInSnapshot = start == .snapshot
            snapshot = []
        }
        if let id = wire?.send(members) { asked[id] = grant }
    }

    // MARK: The network

    func deliver(_ count: Int, to server: InMemoryServer) throws {
        try wire?.deliver(count, to: server)
    }

    func receive(_ count: Int, from server: InMemoryServer, _ digest: inout Digest) throws {
        guard let lines = try wire?.receive(count, from: server, &digest) else { return }
        for line in lines { try take(line) }
    }

    func disconnect() {
        wire = nil
        asked = [:]
        isSubscribed = false
        isLive = false
    }

    private func take(_ line: JSONValue) throws {
        if let id = line["id"]?.integer {
            try takeReply(line, grant: asked.removeValue(forKey: Int(id)))
            return
        }
        guard line["sub"] != nil else { return }
        if line["mark"]?.string == "gap" { return try takeGap(line) }
        if let mark = line["mark"]?.string {
            guard !isInSnapshot || mark == "snapshot" else {
                throw Complaint("P6", "\(mark) within the snapshot: \(line)")
            }
            if mark == "snapshot" { isInSnapshot = false }
            if mark == "live" { isLive = true }
            cursor = line["cur"]?.string ?? cursor
            return
        }
        spent += 1
        guard !hasCredit || spent <= granted else {
            throw Complaint("P7", "\(spent) records for a credit of \(granted)")
        }
        try takeRecord(line)
    }

    private func takeGap(_ line: JSONValue) throws {
        guard let from = line["from"]?.string, let to = line["to"]?.string, floor > 1,
            line["cur"]?.string == to, line["reason"]?.string == "retention"
        else { throw Complaint("P6", "a gap for no reason: \(line)") }
        if isInSnapshot {
            // The snapshot restarts, as of another moment.
            guard try Place(from) == base else { throw Complaint("P6", "no such base: \(line)") }
            snapshot = []
            base = try Place(to)
        } else {
            try miss(from: Place(from), to: Place(to))
            cursor = to
        }
    }

    private func miss(from: Place, to: Place) throws(Complaint) {
        guard from < to, to.sequence < floor else {
            throw Complaint("P6", "nothing is missing from \(from) to \(to)")
        }
        gaps.append((from, to))
    }

    private func takeReply(_ line: JSONValue, grant: Int?) throws {
        guard let grant else { throw Complaint("P3", "nobody asked for \(line)") }
        if line["error"]?["code"]?.string == "OVERLOADED" { return }
        if line["error"]?["code"]?.string == "CURSOR_TOO_OLD", let cursor,
            let first = line["error"]?["data"]?["first"]?.string
        {
            try miss(from: Place(cursor), to: Place(first))
            self.cursor = first
            return
        }
        guard line["ok"]?.bool == true else { throw Complaint("P6", "no subscription: \(line)") }
        granted += grant
        guard !isSubscribed else { return }
        isSubscribed = true
        guard let text = line["cur"]?.string else {
            throw Complaint("P6", "a subscription without a cursor: \(line)")
        }
        if base == nil {
            base = try Place(text)
            if start == .now { cursor = text }
            if start == .first, let base, base.sequence >= floor {
                throw Complaint("P6", "the first step is \(floor): \(line)")
            }
        }
    }

    private func takeRecord(_ line: JSONValue) throws {
        guard let instance = line["to"]?.string, let version = line["v"]?.integer,
            let kind = line["kind"]?.string
        else { throw Complaint("P6", "no record: \(line)") }
        if line["snapshot"]?.bool == true {
            guard isInSnapshot else { throw Complaint("P6", "behind the mark: \(line)") }
            let count = line["after"]?["count"]?.integer ?? -1
            snapshot.append((instance, version, count))
            return
        }
        guard !isInSnapshot else { throw Complaint("P6", "within the snapshot: \(line)") }
        guard let text = line["cur"]?.string else {
            throw Complaint("P6", "a record without a cursor: \(line)")
        }
        let place = try Place(text)
        if let last = seen.last,
            place <= Place(sequence: last.sequence, index: last.index)
        {
            throw Complaint("P6", "\(line) after \(last)")
        }
        let what = line["data"] ?? line["after"] ?? line["lifecycle"] ?? .null
        let shown = what.string ?? what.description
        seen.append(
            JournalModel.Record(
                sequence: place.sequence, index: place.index, instance: instance, kind: kind,
                text: "\(instance)@\(version) \(kind) \(shown)"))
        cursor = text
    }

    // MARK: Checking

    private func expected(_ model: JournalModel) -> [JournalModel.Record] {
        guard let base else { return [] }
        return model.records.filter { record in
            Place(sequence: record.sequence, index: record.index) > base
                && kinds.contains(record.kind) && (instance ?? record.instance) == record.instance
                && !isMissed(record)
        }
    }

    private func isMissed(_ record: JournalModel.Record) -> Bool {
        let place = Place(sequence: record.sequence, index: record.index)
        return gaps.contains { $0.from < place && place <= $0.to }
    }

    /// Checks that the records seen are exactly those that the journal holds after the start.
    func check(_ model: JournalModel) throws(Complaint) {
        let expected = expected(model)
        for (index, record) in seen.enumerated() {
            guard index < expected.count else {
                throw Complaint("P6", "got \(record.text), which the journal doesn't have")
            }
            guard expected[index] == record else {
                throw Complaint("P6", "got \(record), not \(expected[index])")
            }
        }
        guard !isInSnapshot, start == .snapshot, let base else { return }
        for item in snapshot {
            let version = model.version(of: item.instance, at: base.sequence)
            guard version == item.version,
                item.count == model.count(of: item.instance, at: item.version)
            else { throw Complaint("P6", "snapshot at \(base.sequence) says \(item)") }
        }
        let selected = model.instances(at: base.sequence).filter {
            instance == nil || instance == $0
        }
        guard snapshot.map(\.instance) == selected else {
            throw Complaint("P6", "snapshot of \(snapshot.map(\.instance)), not \(selected)")
        }
    }
}

/// The parsed parts of a cursor. Only a test may parse one.
struct Place: Comparable {
    let sequence: JournalPosition
    let index: Int

    static let end = Int.max

    init(sequence: JournalPosition, index: Int) {
        self.sequence = sequence
        self.index = index
    }

    init(_ text: String) throws(Complaint) {
        let parts = text.dropFirst(22).split(separator: ".")
        guard let first = parts.first, let sequence = Int64(first) else {
            throw Complaint("P6", "\(text) is no cursor")
        }
        self.init(
            sequence: sequence, index: parts.count > 1 ? Int(parts[1]) ?? Place.end : Place.end)
    }

    static func < (left: Place, right: Place) -> Bool {
        (left.sequence, left.index) < (right.sequence, right.index)
    }
}
