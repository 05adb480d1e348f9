/// The requests of one simulation's clients and the answers, with the checks that need only these.
struct History {
    /// One event that a client wants applied once. The client may send it several times.
    struct Wish {
        let instance: String
        let key: String?
        /// The amount that the event adds. It is unique, so it identifies the wish in the journal.
        let amount: Int
        /// The highest version of the instance that a client knew when the event was first sent.
        var floor: Int64?
        /// The version in the event's ack.
        var version: Int64?
        /// Acks without `dup`.
        var firstAcks = 0
        var sends = 0
        /// Sends whose outcome the client doesn't know.
        var unknowns = 0
        /// Whether the client has stopped sending it.
        var isAbandoned = false
    }

    var wishes: [Wish] = []
    /// The highest version that any client has received, per instance.
    private(set) var told: [String: Int64] = [:]
    private(set) var acks = 0
    /// The answers to gets: instance, version, count.
    private(set) var reads: [(instance: String, version: Int64, count: Int64)] = []

    mutating func noteSend(_ number: Int) {
        wishes[number].sends += 1
        if wishes[number].floor == nil {
            wishes[number].floor = told[wishes[number].instance] ?? 0
        }
    }

    mutating func noteAck(
        _ number: Int, version: Int64, isRepeat: Bool, expected: Int64?
    ) throws(Complaint) {
        acks += 1
        let wish = wishes[number]
        if let known = wish.version, known != version {
            throw Complaint("P2", "\(wish) was acked as version \(version) too")
        }
        if !isRepeat {
            wishes[number].firstAcks += 1
            if wishes[number].firstAcks > 1 {
                throw Complaint("P2", "\(wish) was acked twice as new")
            }
            if let expected, version != expected + 1 {
                throw Complaint("P4", "\(wish) expected \(expected) and made \(version)")
            }
        }
        guard version > (wish.floor ?? 0) else {
            throw Complaint("P4", "\(wish) made \(version), older than what was acked before")
        }
        wishes[number].version = version
        tell(wish.instance, version)
    }

    mutating func noteRead(
        _ instance: String, version: Int64, count: Int64, floor: Int64
    ) throws(Complaint) {
        guard version >= floor else {
            throw Complaint("P5", "\(instance) was read at \(version) after \(floor) was told")
        }
        reads.append((instance, version, count))
        tell(instance, version)
    }

    private mutating func tell(_ instance: String, _ version: Int64) {
        told[instance] = max(told[instance] ?? 0, version)
    }
}
