import GroveEngine
import GroveProtocol
import GroveServer
import GroveTestSupport
import OrderedJSON
import Transducers

/// A server of statecharts, and one client that repeats what wasn't answered. Commits fail, the
/// process ends, and instances are migrated meanwhile. One seed decides everything.
final class ChartWorld {
    /// An event that isn't answered yet.
    private struct Event {
        let key: Int
        let instance: String
        let type: String
        let by: Int64
    }

    /// What the answers say of an instance.
    private struct Known {
        var sum: Int64 = 0
        /// Accepted events of a type that have changed something.
        var taken: [String: Int64] = [:]
        var isMigrated = false
    }

    let store: SimulatedStore
    private(set) var crashes = 0
    private(set) var migrations = 0
    private var random: SeededRandom
    private var now = Moment(uptime: 0, time: Timestamp(milliseconds: 1_763_692_800_000))
    private var server: InMemoryServer
    private var client = ConnectionID(0)
    private var open: [Event] = []
    private var lastKey = 0
    private var known: [String: Known] = [:]
    private let crashChance: Int

    init(seed: UInt64, store kind: SimulatedStore.Type = SimulatedStore.self) throws {
        random = SeededRandom(seed: seed)
        store = try kind.make(seed: random.next())
        server = try Self.start(store, now, resident: 16)
        crashChance = random.pick([0, 10, 40])
        client = server.connect()
        for text in [Account.first, Account.kid] { try define(text) }
        store.faults.full = random.pick([0, 20, 100])
        store.faults.unknown = random.pick([0, 10, 40])
    }

    private static func start(
        _ store: SimulatedStore, _ now: Moment, resident: Int
    ) throws -> InMemoryServer {
        let catalogue = try Catalogue(compiled: [], stored: store.definitions) { _, reason in
            preconditionFailure("a stored definition can't be used: \(reason)")
        }
        var options = EngineOptions()
        options.handlers["desk"] = HandlerTraits(concurrencyMax: 4)
        options.residentInstancesMax = resident
        let server = InMemoryServer(
            catalogue: catalogue, store: store, options: options, now: now)
        server.compiler = { ChartCompiler.compile($0) }
        return server
    }

    // MARK: Running

    /// Runs a phase with faults, a phase without, and checks everything.
    ///
    /// - Throws: A ``Complaint`` if a promise was broken.
    func run(steps: Int) throws {
        for step in 0..<steps {
            if step == steps / 3 { try define(Account.second) }
            try self.step(isLate: step >= steps / 3)
        }
        store.faults = .none
        for _ in 0..<100 where !open.isEmpty {
            for event in open { try send(event) }
            try commit()
        }
        guard open.isEmpty else { throw Complaint("C1", "\(open.count) events have no answer") }
        for name in known.keys.sorted() where known[name]?.isMigrated == false {
            try migrate(name)
            try commit()
        }
        for _ in 0..<200 { try settle(moving: 500, isCalm: true) }
        for (name, known) in known.sorted(by: { $0.key < $1.key }) { try check(name, known) }
    }

    private func step(isLate: Bool) throws {
        if random.chance(crashChance) { return try crash() }
        switch random.below(10) {
        case 0..<5: try sendNew()
        case 5: if let event = open.first { try send(event) }
        case 6: if isLate, random.chance(400) { try migrate("account/\(random.below(6))") }
        default: try settle(moving: Int64(random.below(900)), isCalm: false)
        }
        if random.chance(500) { try commit() }
    }

    private func sendNew() throws {
        guard open.count < 16 else { return }
        lastKey += 1
        let type = random.pick(["ADD", "ADD", "ADD", "KID", "CALL", "OPEN", "PASS"])
        let event = Event(
            key: lastKey, instance: "account/\(random.below(6))", type: type,
            by: Int64(1 + random.below(9)))
        open.append(event)
        try send(event)
    }

    private func send(_ event: Event) throws {
        let by = event.type == "ADD" ? #","by":\#(event.by)"# : ""
        try ask(
            #"{"op":"send","id":\#(event.key),"to":"\#(event.instance)","dedup":"k\#(event.key)","#
                + #""event":{"type":"\#(event.type)"\#(by)}}"#)
    }

    private func migrate(_ name: String) throws {
        try ask(#"{"op":"migrate","id":"\#(name)","to":"\#(name)"}"#)
    }

    /// Definitions are made without faults.
    private func define(_ text: String) throws {
        let faults = store.faults
        store.faults = .none
        defer { store.faults = faults }
        let line = try JSONValue(parsing: Array(text.utf8)).serialized()
        let definition = String(decoding: line, as: UTF8.self)
        try ask(#"{"op":"define","id":"define","definition":\#(definition)}"#)
        try commit()
    }

    private func ask(_ line: String) throws {
        try guarded { try server.receive(Array((line + "\n").utf8), from: client) }
    }

    private func commit() throws {
        try guarded { try server.flush() }
        try read()
    }

    /// Lets handlers answer and time pass.
    private func settle(moving milliseconds: Int64, isCalm: Bool) throws {
        for call in server.dispatched where isCalm || random.chance(500) {
            let isFailure = !isCalm && random.chance(200)
            try guarded {
                try server.report(
                    isFailure ? .failed(reason: "no", isPermanent: false) : .completed(.null),
                    of: call)
            }
        }
        let end = now.time.milliseconds + milliseconds
        while let due = server.nextDue, due.milliseconds <= end {
            move(to: max(due.milliseconds, now.time.milliseconds))
            let before = crashes
            try guarded {
                try server.enqueueDue()
                try server.flush()
            }
            // A full disk holds timers up for a second.
            if crashes == before, server.nextDue == due { break }
        }
        move(to: end)
        try commit()
    }

    private func move(to time: Int64) {
        now.uptime += time - now.time.milliseconds
        now.time.milliseconds = time
        server.context.now = now
    }

    private func guarded(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch is StoreError {
            try crash()
        }
    }

    /// Another process over the committed data; answers that weren't read are lost.
    private func crash() throws {
        crashes += 1
        server = try Self.start(store, now, resident: random.pick([1, 4, 65_536]))
        client = server.connect()
    }

    // MARK: Answers

    private func read() throws {
        for line in try server.read(client).split(separator: 10) {
            let reply = try JSONValue(parsing: Array(line))
            if let name = reply["id"]?.string {
                try learn(name, reply)
            } else if let key = reply["id"]?.integer {
                try learn(Int(key), reply)
            }
        }
    }

    private func learn(_ name: String, _ reply: JSONValue) throws {
        switch reply["error"]?["code"]?.string {
        case nil where name != "define":
            known[name]?.isMigrated = true
            migrations += 1
        case nil, "STORAGE_FULL", "NO_SUCH_INSTANCE", "OVERLOADED": break
        case let code?:
            throw Complaint("C2", "\(name): \(code) \(reply)")
        }
    }

    private func learn(_ key: Int, _ reply: JSONValue) throws {
        guard let place = open.firstIndex(where: { $0.key == key }) else { return }
        guard reply["ok"]?.bool == true else {
            let code = reply["error"]?["code"]?.string ?? "-"
            // The gate keeps as many events as there is room for.
            if code == "EVENT_REJECTED", open[place].type == "PASS" { open.remove(at: place) }
            guard ["STORAGE_FULL", "OVERLOADED", "EVENT_REJECTED"].contains(code) else {
                throw Complaint("C3", "\(reply)")
            }
            return
        }
        let event = open.remove(at: place)
        var instance = known[event.instance] ?? Known()
        if event.type == "ADD" { instance.sum += event.by }
        if reply["changed"]?.bool == true { instance.taken[event.type, default: 0] += 1 }
        known[event.instance] = instance
    }

    private func check(_ name: String, _ known: Known) throws {
        try ask(#"{"op":"get","id":0,"to":"\#(name)"}"#)
        try guarded { try server.flush() }
        let lines = try server.read(client).split(separator: 10)
        guard let last = lines.last else { throw Complaint("C4", "no answer for \(name)") }
        let got = try JSONValue(parsing: Array(last))
        guard let state = got["state"], let context = state["context"] else {
            throw Complaint("C4", "\(name): \(got)")
        }
        func expect(_ member: String, _ value: Int64) throws {
            guard context[member]?.integer == value else {
                throw Complaint("C5", "\(name): \(member) isn't \(value): \(got)")
            }
        }
        try expect("total", known.sum)
        try expect("kids", known.taken["KID"] ?? 0)
        try expect("calls", known.taken["CALL"] ?? 0)
        let deferred = Int64(state["deferred"]?.array?.count ?? 0)
        try expect("passed", (known.taken["PASS"] ?? 0) - deferred)
        // Its clock's timer, and the gate's; all other work has ended.
        let rows = try store.effects(after: nil, limit: 10_000).filter { $0.body.owner == name }
        let isOpen = state["value"]?["p"]?["gate"]?.string == "wide"
        guard rows.count == (isOpen ? 2 : 1) else {
            throw Complaint("C6", "\(name): effects \(rows): \(got)")
        }
        let late = now.time.milliseconds + 3_000
        for row in rows {
            guard let due = row.due?.milliseconds, due > now.time.milliseconds, due <= late else {
                throw Complaint("C7", "\(name): \(row) at \(now.time.milliseconds)")
            }
        }
        guard let ticks = context["ticks"]?.integer, ticks >= 10 else {
            throw Complaint("C8", "\(name): its clock stands still: \(got)")
        }
        guard got["definition"]?["version"]?.string == "2" else {
            throw Complaint("C9", "\(name): it isn't migrated: \(got)")
        }
    }
}
