import GroveEngine
import OrderedJSON

/// What the starts of a server know of earlier ones that ended in a trap: kept behind the slots,
/// as JSON.
struct CrashLog: Codable, Equatable {
    /// Whose steps have ended the process, and how often.
    struct Entry: Codable, Equatable {
        /// The instance, `machine/instance`.
        var name: String
        /// The version of the machine that it was.
        var version: String
        /// How often.
        var count: Int
    }

    /// Which instances of a machine have ended the process, one after the other.
    struct Wave: Codable, Equatable {
        /// The machine.
        var machine: String
        /// Its version.
        var version: String
        /// The instances, each once.
        var instances: [String]
        /// When the last of them did, milliseconds since 1970.
        var last: Int64
    }

    /// What a crash comes to.
    struct Verdict: Equatable {
        /// The version of the machine whose code it was; empty where that isn't known.
        var version: String
        /// How often in a row the instance has done so.
        var count: Int
        /// Whether it happened while the machine was described: there is nothing to set aside then.
        var isOfDescription = false
        /// What is to be set aside, unless the machine is another one by now.
        var subject: HoldSubject?
    }

    /// After how many crashes in a row an instance is set aside.
    static let crashesInRow = 2
    /// After so many instances of a machine, none of which has to have done it twice, all of the
    /// machine is set aside: a mistake that a thousand instances meet would take two thousand
    /// starts otherwise.
    static let instancesInWave = 3
    /// For how long the next instance belongs to the same wave.
    static let waveMilliseconds: Int64 = 3_600_000
    /// Entries that are kept, and waves; the oldest make room.
    static let entriesMax = 16

    /// The versions of the machines in the run that is under way.
    var machines: [String: String] = [:]
    /// The newest last.
    var entries: [Entry] = []
    /// The newest last.
    var waves: [Wave] = []
    /// Machines that have ended the process when they were tried out for `describe`, with their
    /// versions. Nothing but a client's request does so again, and once is enough.
    var undescribed: [String: String] = [:]

    /// Whether there is nothing to be kept for the next start.
    var isEmpty: Bool { entries.isEmpty && waves.isEmpty && undescribed.isEmpty }

    /// Takes note of a crash.
    ///
    /// - Returns: What it comes to. What is to be set aside begins anew afterwards.
    mutating func add(_ name: InstanceName, at now: Timestamp) -> Verdict {
        let version = machines[name.machine] ?? ""
        if name.meansMachine {
            undescribed[name.machine] = version
            return Verdict(version: version, count: 1, isOfDescription: true)
        }
        var entry = Entry(name: name.text, version: version, count: 1)
        if let place = entries.firstIndex(where: { $0.name == name.text }) {
            let known = entries.remove(at: place)
            if known.version == version { entry.count = known.count + 1 }
        }
        var verdict = Verdict(version: version, count: entry.count)
        if entry.count < Self.crashesInRow {
            entries.append(entry)
        } else {
            verdict.subject = .instance(name)
        }
        if entries.count > Self.entriesMax { entries.removeFirst() }
        if isWave(name, version, now) { verdict.subject = .machine(name.machine) }
        return verdict
    }

    /// Whether so many instances of the machine have done it that it isn't one instance's matter.
    private mutating func isWave(
        _ name: InstanceName, _ version: String, _ now: Timestamp
    ) -> Bool {
        let machine = name.machine
        var wave = Wave(machine: machine, version: version, instances: [], last: 0)
        if let place = waves.firstIndex(where: { $0.machine == machine }) {
            let known = waves.remove(at: place)
            let isSame = known.version == version
            if isSame, abs(now.milliseconds - known.last) <= Self.waveMilliseconds { wave = known }
        }
        if !wave.instances.contains(name.text) { wave.instances.append(name.text) }
        guard wave.instances.count < Self.instancesInWave else { return true }
        wave.last = now.milliseconds
        waves.append(wave)
        if waves.count > Self.entriesMax { waves.removeFirst() }
        return false
    }

    /// Forgets waves that are over, and what is known of machines that are others now.
    mutating func forgetOld(at now: Timestamp, isHosted: (_ machine: String, String) -> Bool) {
        waves.removeAll { abs(now.milliseconds - $0.last) > Self.waveMilliseconds }
        undescribed = undescribed.filter { isHosted($0.key, $0.value) }
    }

    /// Takes a crash back into account whose subject couldn't be set aside in the data file.
    mutating func keep(_ name: InstanceName, _ verdict: Verdict) {
        guard !entries.contains(where: { $0.name == name.text }) else { return }
        entries.append(
            Entry(name: name.text, version: verdict.version, count: verdict.count))
        if entries.count > Self.entriesMax { entries.removeFirst() }
    }

    /// The log as bytes; empty where there is nothing to say.
    func encoded() -> [UInt8] {
        var writer = JSONWriter()
        do {
            try JSONCoding.encode(self, into: &writer)
        } catch {
            preconditionFailure("names and numbers are JSON: \(error)")
        }
        return writer.bytes
    }

    /// Reads what was written; what can't be read, because the power went, says nothing.
    static func decoded(_ bytes: [UInt8]) -> CrashLog {
        do {
            let document = try JSONDocument(parsing: bytes)
            return try JSONCoding.decode(CrashLog.self, from: document, at: document.root)
        } catch {
            return CrashLog()
        }
    }
}
