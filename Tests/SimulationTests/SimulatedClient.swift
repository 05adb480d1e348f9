import GroveEngine
import GroveTestSupport
import OrderedJSON

/// A client that wants each event applied once. It pipelines requests, resends events with an
/// unknown outcome, sends some events twice, sometimes reuses a key for another event, reads
/// instances, and checks every answer.
final class SimulatedClient {
    private enum Asked {
        case send(wish: Int, expected: Int64?)
        case batch(wishes: [Int], isAtomic: Bool, isBad: Bool)
        case get(instance: String, floor: Int64)
        case other
    }

    private let name: Int
    private let instances: [String]
    private let pipelining: Int
    private var wire: Wire?
    private var asked: [Int: Asked] = [:]
    private var todo: [Int] = []
    /// The request and the version of this connection's newest event, per instance.
    private var newest: [String: (request: Int, version: Int64)] = [:]
    private var wishesLeft: Int

    init(name: Int, instances: [String], pipelining: Int, wishes: Int) {
        self.name = name
        self.instances = instances
        self.pipelining = pipelining
        wishesLeft = wishes
    }

    var isDone: Bool { wishesLeft == 0 && todo.isEmpty && asked.isEmpty }
    var connection: ConnectionID? { wire?.id }

    // MARK: Requests

    /// Sends the next request if there is room in the pipeline.
    func act(_ server: InMemoryServer, _ history: inout History, _ random: inout SeededRandom) {
        if wire == nil { wire = Wire(server) }
        guard asked.count < pipelining else { return }
        if let number = todo.first, random.chance(600) || wishesLeft == 0 {
            todo.removeFirst()
            send(number, &history, &random)
        } else if random.chance(200) {
            get(random.pick(instances), history)
        } else if random.chance(100) {
            disturb(&random)
        } else if wishesLeft > 1, random.chance(150) {
            sendBatch(&history, &random)
        } else if wishesLeft > 0 {
            wishesLeft -= 1
            let number = makeWish(&history, &random)
            send(number, &history, &random)
            // Sends the event again at once, like an impatient client.
            if history.wishes[number].key != nil, random.chance(150) {
                send(number, &history, &random)
            }
        }
    }

    private func makeWish(_ history: inout History, _ random: inout SeededRandom) -> Int {
        let number = history.wishes.count
        var key: String?
        var instance = random.pick(instances)
        if random.chance(850) {
            key = "k\(name)-\(number)"
            // A key that was already used for another event, possibly by another client.
            if number > 0, random.chance(60) {
                let other = history.wishes[random.below(number)]
                key = other.key ?? key
                instance = random.chance(500) ? other.instance : instance
            }
        }
        history.wishes.append(
            History.Wish(instance: instance, key: key, amount: number + 1))
        return number
    }

    private func send(
        _ number: Int, _ history: inout History, _ random: inout SeededRandom
    ) {
        history.noteSend(number)
        let wish = history.wishes[number]
        var members = #""op":"send","to":"\#(wish.instance)""#
        members += #","event":{"type":"add","amount":\#(wish.amount)}"#
        if let key = wish.key { members += #","dedup":"\#(key)""# }
        var expected: Int64?
        if wish.sends == 1, random.chance(100), let told = history.told[wish.instance] {
            expected = told
            members += #","expect":\#(told)"#
        }
        if random.chance(200) { members += #","reply":"full""# }
        let isAnswered = wish.key != nil || random.chance(900)
        guard let request = wire?.send(members, answered: isAnswered) else { return }
        if isAnswered {
            asked[request] = .send(wish: number, expected: expected)
        } else {
            history.wishes[number].unknowns += 1
            history.wishes[number].isAbandoned = true
        }
    }

    /// Sends several wishes in one batch, sometimes an atomic one, sometimes with an item that is
    /// refused.
    private func sendBatch(_ history: inout History, _ random: inout SeededRandom) {
        let isAtomic = random.chance(600)
        let isBad = random.chance(300)
        var numbers: [Int] = []
        var items: [String] = []
        for _ in 0..<min(wishesLeft, 2 + random.below(3)) {
            wishesLeft -= 1
            let number = makeWish(&history, &random)
            history.noteSend(number)
            let wish = history.wishes[number]
            let key = wish.key.map { #","dedup":"\#($0)""# } ?? ""
            let event = #"{"type":"add","amount":\#(wish.amount)}"#
            items.append(#"{"to":"\#(wish.instance)","event":\#(event)\#(key)}"#)
            numbers.append(number)
        }
        if isBad { items.append(#"{"to":"turnstile/never","event":"PUSH"}"#) }
        let members =
            #""op":"batch","atomic":\#(isAtomic),"items":[\#(items.joined(separator: ","))]"#
        guard let request = wire?.send(members) else { return }
        asked[request] = .batch(wishes: numbers, isAtomic: isAtomic, isBad: isBad)
    }

    private func get(_ instance: String, _ history: History) {
        let members = #""op":"get","to":"\#(instance)""#
        guard let request = wire?.send(members) else { return }
        asked[request] = .get(instance: instance, floor: history.told[instance] ?? 0)
    }

    /// Sends another request that must be answered once: it creates or deletes instances, or is
    /// invalid.
    private func disturb(_ random: inout SeededRandom) {
        let members = random.pick([
            #""op":"send","to":"turnstile/doomed","event":"COIN""#,
            #""op":"send","to":"turnstile/doomed","event":"PUSH","dedup":"x""#,
            #""op":"create","to":"turnstile/doomed","dedup":"y""#,
            #""op":"delete","to":"turnstile/doomed""#, #""op":"stop","to":"turnstile/doomed""#,
            #""op":"get","to":"turnstile/doomed","at":1"#,
            #""op":"history","to":"turnstile/doomed","limit":3"#,
            #""op":"list","limit":3"#, #""op":"list","machine":"counter","prefix":"i""#,
            #""op":"ping""#, #""op":"nonsense""#, #""op":"definitions""#, #""op":"stats""#,
            #""op":"credit","sub":"none","n":1"#, #""op":"send","to":"counter/i0","event":5"#,
            #""op":"send","to":"counter/i0","event":"nonsense""#,
        ])
        guard let request = wire?.send(members) else { return }
        asked[request] = .other
    }

    // MARK: The network

    func deliver(_ count: Int, to server: InMemoryServer) throws {
        try wire?.deliver(count, to: server)
    }

    func receive(
        _ count: Int, from server: InMemoryServer, _ history: inout History,
        _ digest: inout Digest
    ) throws {
        guard let lines = try wire?.receive(count, from: server, &digest) else { return }
        for line in lines { try take(line, &history) }
    }

    /// The connection is gone, possibly in the middle of a line.
    func disconnect(_ history: inout History) {
        // In the order of sending, so that a seed repeats.
        for (_, question) in asked.sorted(by: { $0.key < $1.key }) {
            switch question {
            case .send(let number, _):
                history.wishes[number].unknowns += 1
                retry(number, &history)
            case .batch(let wishes, let isAtomic, let isBad):
                for number in wishes {
                    if isAtomic && isBad {
                        abandon(number, &history)
                    } else {
                        history.wishes[number].unknowns += 1
                        retry(number, &history)
                    }
                }
            case .get, .other: break
            }
        }
        asked = [:]
        newest = [:]
        wire = nil
    }

    /// Sends the event again later if a key makes that safe.
    private func retry(_ number: Int, _ history: inout History) {
        if history.wishes[number].key == nil, history.wishes[number].unknowns > 0 {
            history.wishes[number].isAbandoned = true
        } else if !todo.contains(number), history.wishes[number].version == nil {
            todo.append(number)
        }
    }

    /// Gives up a wish of a batch that must fail as a whole, answered or not. The journal must
    /// never contain it.
    private func abandon(_ number: Int, _ history: inout History) {
        history.wishes[number].isAbandoned = true
    }

    // MARK: Answers

    private func take(_ line: JSONValue, _ history: inout History) throws {
        guard let id = line["id"] else { return }
        guard let request = id.integer, let question = asked.removeValue(forKey: Int(request))
        else { throw Complaint("P3", "nobody asked for \(line)") }
        let code = line["error"]?["code"]?.string
        guard code == nil || line["ok"] == nil else {
            throw Complaint("P3", "both an ack and a refusal: \(line)")
        }
        switch question {
        case .other: break
        case .get(let instance, let floor):
            if code == "NO_SUCH_INSTANCE", floor == 0 { return }
            if code == "STORAGE_FULL" || code == "OVERLOADED" { return }
            guard let version = line["v"]?.integer, let count = line["state"]?["count"]?.integer
            else { throw Complaint("P5", "\(instance) was at \(floor), now: \(line)") }
            try history.noteRead(instance, version: version, count: count, floor: floor)
        case .batch(let wishes, let isAtomic, let isBad):
            try answered(Int(request), wishes, isAtomic, isBad, line, &history)
        case .send(let number, let expected):
            if let code {
                try refused(number, code, line, &history)
            } else {
                try acked(Int(request), number, expected, line, &history)
            }
        }
    }

    private func answered(
        _ request: Int, _ wishes: [Int], _ isAtomic: Bool, _ isBad: Bool, _ line: JSONValue,
        _ history: inout History
    ) throws {
        guard let results = line["results"]?.array else {
            guard let code = line["error"]?["code"]?.string else {
                throw Complaint("P3", "neither results nor an error: \(line)")
            }
            let isWhole = code == "STORAGE_FULL" || code == "OVERLOADED"
            guard isAtomic || isWhole else { throw Complaint("P3", "a batch failed: \(line)") }
            // Nothing was applied. Each event that is safe to repeat is sent again alone.
            for number in wishes {
                if isAtomic && isBad {
                    abandon(number, &history)
                } else {
                    retry(number, &history)
                }
            }
            return
        }
        guard !(isAtomic && isBad) else {
            throw Complaint("batch", "an atomic batch with a bad item was applied: \(line)")
        }
        for (number, result) in zip(wishes, results) {
            if let code = result["error"]?["code"]?.string {
                guard !isAtomic else {
                    throw Complaint("batch", "a part of an atomic batch was refused: \(line)")
                }
                try refused(number, code, result, &history)
            } else {
                try acked(request, number, nil, result, &history)
            }
        }
    }

    private func acked(
        _ request: Int, _ number: Int, _ expected: Int64?, _ line: JSONValue,
        _ history: inout History
    ) throws {
        guard let version = line["v"]?.integer else {
            throw Complaint("P3", "an ack without a version: \(line)")
        }
        let isRepeat = line["dup"]?.bool ?? false
        try history.noteAck(number, version: version, isRepeat: isRepeat, expected: expected)
        todo.removeAll { $0 == number }
        let instance = history.wishes[number].instance
        guard !isRepeat else { return }
        if let last = newest[instance] {
            // The items of one batch share one request and are in order.
            let isLater = last.request <= request
            guard isLater == (last.version < version) else {
                throw Complaint("P4", "\(instance): pipelined events out of order: \(line)")
            }
        }
        if newest[instance].map({ $0.request <= request }) ?? true {
            newest[instance] = (request, version)
        }
    }

    private func refused(
        _ number: Int, _ code: String, _ line: JSONValue, _ history: inout History
    ) throws {
        switch code {
        case "STORAGE_FULL", "OVERLOADED": retry(number, &history)
        case "VERSION_CONFLICT":
            retry(number, &history)
        case "DEDUP_MISMATCH":
            // Correct only if another wish has this key and the same instance.
            let wish = history.wishes[number]
            let others = history.wishes.enumerated().filter {
                $0.offset != number && $0.element.key == wish.key
                    && $0.element.instance == wish.instance
            }
            guard wish.version == nil, !others.isEmpty else {
                throw Complaint("P2", "\(wish): \(line)")
            }
            todo.removeAll { $0 == number }
            history.wishes[number].isAbandoned = true
        default: throw Complaint("P3", "a refusal without reason: \(line)")
        }
    }
}
