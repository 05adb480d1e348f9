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
        /// How often, without another start having been told of somebody else in between.
        var count: Int
    }

    /// After how many crashes in a row an instance is set aside.
    static let crashesInRow = 2
    /// Entries that are kept; the oldest make room.
    static let entriesMax = 16

    /// The versions of the machines in the run that is under way.
    var machines: [String: String] = [:]
    /// The newest last.
    var entries: [Entry] = []

    /// Takes note of a crash.
    ///
    /// - Returns: How many there were in a row of this instance, and of which version of its
    ///   machine. At ``crashesInRow`` it is forgotten again: the instance is set aside.
    mutating func add(_ name: InstanceName) -> Entry {
        let version = machines[name.machine] ?? ""
        var entry = Entry(name: name.text, version: version, count: 1)
        if let place = entries.firstIndex(where: { $0.name == name.text }) {
            let known = entries.remove(at: place)
            if known.version == version { entry.count = known.count + 1 }
        }
        if entry.count < Self.crashesInRow { entries.append(entry) }
        if entries.count > Self.entriesMax { entries.removeFirst() }
        return entry
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
