import GroveEngine
import OrderedJSON

/// The runs of a server that ended in a trap, kept after the slots as JSON.
struct CrashLog: Codable, Equatable {
    /// An instance whose steps have ended the process.
    struct Entry: Codable, Equatable {
        /// The instance, `machine/instance`.
        var name: String
        /// The version of its machine then.
        var version: String
        /// The number of crashes in a row.
        var count: Int
    }

    /// Instances of a machine that have ended the process, one after the other.
    struct Wave: Codable, Equatable {
        var machine: String
        var version: String
        /// The instances, each once.
        var instances: [String]
        /// The time of the last crash, in milliseconds since 1970.
        var last: Int64
    }

    /// The consequence of a crash.
    struct Verdict: Equatable {
        /// The version of the machine whose code ran; empty if it isn't known.
        var version: String
        /// The instance's number of crashes in a row.
        var count: Int
        /// Whether it happened in `describe`: then there is nothing to set aside.
        var isOfDescription = false
        /// The subject to set aside, unless the machine has another version now.
        var subject: HoldSubject?
    }

    /// Crashes in a row after which an instance is set aside.
    static let crashesInRow = 2
    /// Instances of a machine, with one crash each, after which the whole machine is set aside:
    /// otherwise a bug in a thousand instances would take two thousand starts.
    static let instancesInWave = 3
    /// The longest time between two crashes of a wave.
    static let waveMilliseconds: Int64 = 3_600_000

    /// The versions of the machines in the present run.
    var machines: [String: String] = [:]
    /// The newest last.
    var entries: [Entry] = []
    /// The newest last.
    var waves: [Wave] = []
    /// Machines that have ended the process in `describe`, with their versions. Only a client's
    /// request would do so again, so one crash is enough.
    var undescribed: [String: String] = [:]

    /// Whether there is nothing to keep for the next start.
    var isEmpty: Bool { entries.isEmpty && waves.isEmpty && undescribed.isEmpty }

    /// Adds a crash.
    ///
    /// - Returns: Its consequence. The count of a subject to set aside restarts.
    mutating func add(_ name: InstanceName, at now: Timestamp) -> Verdict {
        let version = machines[name.machine] ?? ""
        if name.meansMachine {
            undescribed[name.machine] = version
            return Verdict(version: version, count: 1, isOfDescription: true)
        }
        var entry = Entry(name: name.text, version: version, count: 1)
        if let index = entries.firstIndex(where: { $0.name == name.text }) {
            let known = entries.remove(at: index)
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

    /// Adds a crash to the machine's wave; whether the wave has ``instancesInWave`` instances.
    private mutating func isWave(
        _ name: InstanceName, _ version: String, _ now: Timestamp
    ) -> Bool {
        let machine = name.machine
        var wave = Wave(machine: machine, version: version, instances: [], last: 0)
        if let index = waves.firstIndex(where: { $0.machine == machine }) {
            let known = waves.remove(at: index)
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

    /// Removes waves that are over, and machines that have other versions now.
    mutating func removeOld(at now: Timestamp, isHosted: (_ machine: String, String) -> Bool) {
        waves.removeAll { abs(now.milliseconds - $0.last) > Self.waveMilliseconds }
        undescribed = undescribed.filter { isHosted($0.key, $0.value) }
    }

    /// Restores a crash whose subject couldn't be set aside in the data file.
    mutating func keep(_ name: InstanceName, _ verdict: Verdict) {
        guard !entries.contains(where: { $0.name == name.text }) else { return }
        entries.append(Entry(name: name.text, version: verdict.version, count: verdict.count))
        if entries.count > Self.entriesMax { entries.removeFirst() }
    }

    /// The log as JSON.
    func encoded() -> [UInt8] {
        var writer = JSONWriter()
        do {
            try JSONCoding.encode(self, into: &writer)
        } catch {
            preconditionFailure("names and numbers are JSON: \(error)")
        }
        return writer.bytes
    }

    /// Reads a log; an unreadable one, after a power cut, is empty.
    static func decoded(_ bytes: [UInt8]) -> CrashLog {
        do {
            let document = try JSONDocument(parsing: bytes)
            return try JSONCoding.decode(CrashLog.self, from: document, at: document.root)
        } catch {
            return CrashLog()
        }
    }
}
