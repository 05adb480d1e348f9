import GroveEngine
import OrderedJSON

/// The content of a store as plain lists: the simple model that all checks compare with.
struct JournalModel {
    /// One applied event of an instance.
    struct Applied {
        let amount: Int64
        let key: String?
    }

    /// The applied events of each counter in order; version 1 is the first.
    private(set) var applied: [String: [Applied]] = [:]
    /// Every record that a subscription to all kinds except traces can receive, in order.
    private(set) var records: [Record] = []
    private(set) var head: JournalPosition
    private var creations: [String: JournalPosition] = [:]
    private var steps: [String: [JournalPosition]] = [:]

    struct Record: Equatable {
        let sequence: JournalPosition
        let index: Int
        let instance: String
        let kind: String
        let text: String
    }

    init(_ store: any Store) throws {
        head = store.head
        guard head > 0 else { return }
        for sequence in 1...head {
            guard let step = try store.record(at: sequence) else {
                throw Complaint("P4", "journal step \(sequence) is missing")
            }
            try add(step)
        }
    }

    private mutating func add(_ step: JournalRecord) throws {
        guard let name = step.name, name.machine == "counter" else { return }
        if step.kind == .created {
            guard applied[name.text] == nil else {
                throw Complaint("P4", "\(name) was created twice")
            }
            applied[name.text] = []
            creations[name.text] = step.sequence
            addRecord(step, name, 0, "lifecycle", "created")
            addRecord(step, name, 1, "state", #"{"count":0}"#)
            return
        }
        guard step.kind == .step, let event = step.event else {
            throw Complaint("P4", "a counter is neither stopped nor deleted here")
        }
        let amount = try JSONValue(parsing: event)["amount"]?.integer ?? 0
        let key = step.dedup.map { String(decoding: $0, as: UTF8.self) }
        applied[name.text, default: []].append(Applied(amount: amount, key: key))
        steps[name.text, default: []].append(step.sequence)
        guard step.version == applied[name.text]?.count ?? 0 else {
            throw Complaint("P4", "\(name) has version \(step.version) out of turn")
        }
        let count = count(of: name.text, at: step.version)
        addRecord(step, name, 0, "output", "\(count)")
        addRecord(step, name, 1, "state", "{\"count\":\(count)}")
    }

    private mutating func addRecord(
        _ step: JournalRecord, _ name: InstanceName, _ index: Int, _ kind: String, _ text: String
    ) {
        records.append(
            Record(
                sequence: step.sequence, index: index, instance: name.text, kind: kind,
                text: "\(name.text)@\(step.version) \(kind) \(text)"))
    }

    /// Returns the sum of the events up to a version.
    func count(of instance: String, at version: Int64) -> Int64 {
        (applied[instance] ?? []).prefix(Int(version)).reduce(0) { $0 + $1.amount }
    }

    /// Returns the version of an instance at a place in the journal; `nil` before its creation.
    func version(of instance: String, at place: JournalPosition) -> Int64? {
        guard let created = creations[instance], created <= place else { return nil }
        return Int64((steps[instance] ?? []).count { $0 <= place })
    }

    /// Returns the instances that existed at a place in the journal, sorted by name.
    func instances(at place: JournalPosition) -> [String] {
        creations.filter { $0.value <= place }.keys.sorted()
    }

    /// Compares the answers that clients received with the journal.
    func check(_ history: History) throws(Complaint) {
        for wish in history.wishes { try check(wish) }
        for read in history.reads {
            let count = count(of: read.instance, at: read.version)
            guard read.version <= (applied[read.instance] ?? []).count, read.count == count else {
                throw Complaint(
                    "P5", "\(read.instance) was read as \(read.count) at \(read.version)")
            }
        }
        for (instance, events) in applied {
            let keys = events.compactMap(\.key)
            guard Set(keys).count == keys.count else {
                throw Complaint("P2", "\(instance) has one key twice")
            }
        }
    }

    private func check(_ wish: History.Wish) throws(Complaint) {
        let places = (applied[wish.instance] ?? []).enumerated().filter {
            $0.element.amount == wish.amount
        }
        guard places.count <= 1 else { throw Complaint("P2", "\(wish) was applied twice") }
        if let version = wish.version {
            guard let place = places.first, place.offset + 1 == version,
                place.element.key == wish.key
            else { throw Complaint("P1", "\(wish) was acked and is not there") }
        } else if !places.isEmpty, wish.unknowns == 0 {
            throw Complaint("P3", "\(wish) was refused each time and is there")
        }
    }
}
