import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

/// Hundreds or thousands of timers over a year, with a clock that jumps from one to the next.
@Suite("a year of timers")
struct YearTests {
    private static let year = 365 * Clockwork.day
    private static let seed: UInt64 = 2026

    @Test func `each timer fires once, at its time`() throws {
        let year = try Year(count: 2_000, seed: Self.seed)
        try year.pass(Self.year)
        try year.check()
    }

    @Test func `each timer fires once, at its time, with crashes`() throws {
        let year = try Year(count: 500, seed: Self.seed)
        for _ in 0..<73 {
            try year.pass(5 * Clockwork.day)
            try year.crash()
        }
        try year.check()
    }

    @Test func `timers due while the server is down fire at its start, once`() throws {
        let year = try Year(count: 500, seed: Self.seed)
        for _ in 0..<36 {
            try year.pass(8 * Clockwork.day)
            try year.crash(for: 2 * Clockwork.day)
        }
        try year.pass(5 * Clockwork.day)
        try year.check()
        #expect(year.lateCount > 0)
    }

    @Test func `a clock set back makes timers late, one set forward fires them`() throws {
        let year = try Year(count: 500, seed: Self.seed)
        try year.pass(Clockwork.day)
        #expect(year.waitingCount > 0)
        try year.crash(for: -3_600_000)
        try year.pass(Clockwork.day)
        try year.check()
        try year.crash(for: Self.year)
        try year.check()
        #expect(year.waitingCount == 0)
    }

    @Test func `a timer that is lost, early or doubled would be noticed`() throws {
        let year = try Year(count: 500, seed: Self.seed)
        try year.pass(20 * Clockwork.day)
        for tampering in Year.Tampering.allCases {
            #expect(throws: Complaint.self, "\(tampering)") {
                try year.check(after: tampering)
            }
        }
        try year.check()
    }
}

/// An engine with a year's timers, and the times at which they must fire.
private final class Year {
    private let store = TimerStore()
    private let catalogue: Catalogue
    private var engine: Engine
    private var now = Timestamp(milliseconds: 1_767_225_600_000)
    private let begin: Timestamp
    private var schedules: [InstanceName: Clockwork.Schedule] = [:]
    /// The times at which the server went down and was up again.
    private var starts: [(down: Timestamp, up: Timestamp)] = []
    /// The times at which the timers of each instance fired.
    private var fired: [InstanceName: [Timestamp]] = [:]
    private(set) var lateCount = 0

    init(count: Int, seed: UInt64) throws {
        let definition = Definition(Clockwork.self, named: "clock", version: "1")
        catalogue = try Catalogue([definition])
        engine = Engine(catalogue: catalogue, store: store)
        begin = now
        var random = SeededRandom(seed: seed)
        for number in 0..<count {
            guard let name = InstanceName("clock/c\(number)") else { continue }
            let schedule = Self.schedule(number, &random)
            schedules[name] = schedule
            try send(schedule, to: name, as: definition)
        }
        try flush()
    }

    private static func schedule(
        _ number: Int, _ random: inout SeededRandom
    ) -> Clockwork.Schedule {
        switch number {
        case 0..<5: .every(milliseconds: Clockwork.day)
        case 5..<20: .every(milliseconds: 7 * Clockwork.day + Int64(number))
        case 20..<60: .monthly
        // Many timers at the same moment, at the end of the year.
        case 60..<300: .once(milliseconds: 365 * Clockwork.day)
        default: .once(milliseconds: Int64(random.below(Int(365 * Clockwork.day))))
        }
    }

    private func send(
        _ schedule: Clockwork.Schedule, to name: InstanceName, as definition: Definition
    ) throws {
        var writer = JSONWriter()
        try JSONCoding.encode(Clockwork.Event.start(schedule), into: &writer)
        let document = try JSONDocument(parsing: writer.bytes)
        let event = try definition.machine.decodeEvent(document, at: document.root)
        let send = Send(to: name, event: .decoded(event), eventText: writer.bytes)
        let request = Request(
            connection: ConnectionID(1), token: 1, operation: .send(send))
        try engine.receive(request, at: now, store: store)
    }

    // MARK: Time

    private func flush() throws {
        let before = store.head
        _ = try engine.flush(to: store, at: now)
        for sequence in before..<store.head {
            guard let record = try store.record(at: sequence + 1), let name = record.name,
                record.kind == .step, record.version > 1
            else { continue }
            fired[name, default: []].append(record.at)
        }
    }

    /// Advances time from one due timer to the next.
    func pass(_ milliseconds: Int64) throws {
        let end = Timestamp(milliseconds: now.milliseconds + milliseconds)
        while let due = engine.nextDue, due <= end {
            now = max(now, due)
            try engine.enqueueDue(at: now, store: store)
            try flush()
        }
        now = end
    }

    /// Restarts the engine on the stored data, after a given time.
    func crash(for milliseconds: Int64 = 0) throws {
        let down = now
        now.milliseconds += milliseconds
        if milliseconds > 0 { starts.append((down, now)) }
        engine = Engine(catalogue: catalogue, store: store)
        try flush()
        try pass(0)
    }

    /// The number of one-time timers that haven't fired.
    var waitingCount: Int {
        schedules.count { name, schedule in
            guard case .once = schedule else { return false }
            return fired[name] == nil
        }
    }

    // MARK: Checks

    func check() throws {
        for (name, schedule) in schedules { try check(name, schedule) }
    }

    private func check(_ name: InstanceName, _ schedule: Clockwork.Schedule) throws {
        var last = begin
        let times = fired[name] ?? []
        for (number, time) in times.enumerated() {
            guard let wait = Clockwork.wait(in: schedule, after: number) else {
                throw Complaint("E3", "\(name) came again at \(time)")
            }
            let due = Timestamp(milliseconds: last.milliseconds + wait)
            guard
                time == due
                    || starts.contains(where: { $0.up == time && $0.down < due && due < time })
            else { throw Complaint("E4", "\(name), due at \(due), came at \(time)") }
            if time != due { lateCount += 1 }
            last = time
        }
        if let wait = Clockwork.wait(in: schedule, after: times.count),
            last.milliseconds + wait <= now.milliseconds
        {
            throw Complaint("E4", "\(name) didn't come after \(last)")
        }
        guard let stored = try store.instance(named: name) else {
            throw Complaint("E3", "\(name) is gone")
        }
        guard try JSONValue(parsing: stored.state)["fired"]?.integer == Int64(times.count) else {
            throw Complaint("E3", "\(name) counts something else than \(times.count)")
        }
    }

    enum Tampering: CaseIterable { case lost, early, doubled }

    /// Runs the check with a timer that was lost, early or doubled.
    func check(after tampering: Tampering) throws {
        let truth = fired
        defer { fired = truth }
        guard let name = fired.keys.min(by: { $0.text < $1.text }), let time = fired[name]?.last
        else { return }
        switch tampering {
        case .lost: fired[name]?.removeLast()
        case .early: fired[name]?[0].milliseconds -= 1
        case .doubled: fired[name]?.append(time)
        }
        try check()
    }
}
