import GroveTestSupport
import OrderedJSON
import Testing

/// Compares a server's data after its crashes with the answers that clients received before them.
enum Checker {
    /// Reads all histories and compares: every acknowledged event exactly once and under its
    /// version, versions 1…n without a hole, no key twice, every record watched once.
    ///
    /// - Returns: The number of events.
    static func check(_ workload: inout Workload, port: UInt16) throws -> Int {
        let client = try LineClient(port: port)
        var seen: [Workload.Sent: Int64] = [:]
        var all: Set<String> = []
        for instance in Workload.instances {
            let keys = try history(of: instance, client)
            for (index, key) in keys.enumerated() {
                let version = Int64(index + 1)
                let sent = Workload.Sent(instance: instance, key: key)
                if let first = seen.updateValue(version, forKey: sent) {
                    throw CheckFailure("\(key) made version \(first) and version \(version)")
                }
                all.insert("\(instance)@\(version)")
            }
            try compareState(of: instance, events: keys.count, client)
        }
        for (sent, version) in workload.acknowledged {
            guard let found = seen[sent] else {
                throw CheckFailure(
                    "\(sent.key) was acknowledged as version \(version), and is gone")
            }
            guard found == version else {
                throw CheckFailure("\(sent.key): acknowledged as \(version), stored as \(found)")
            }
        }
        for sent in seen.keys where workload.acknowledged[sent] == nil {
            guard workload.unknown.contains(sent) else {
                throw CheckFailure("\(sent.key) is stored, and nobody sent it")
            }
        }
        try workload.watchToTheEnd(port: port, count: seen.count)
        let watched = Set(workload.watched)
        guard workload.watched.count == watched.count else {
            throw CheckFailure("a record came twice: \(twice(workload.watched))")
        }
        guard watched == all else {
            throw CheckFailure("records missing: \(all.subtracting(watched).sorted().prefix(5))")
        }
        return seen.count
    }

    private static func twice(_ records: [String]) -> [String] {
        Dictionary(grouping: records) { $0 }.filter { $1.count > 1 }.keys.sorted()
    }

    /// Returns the dedup keys of an instance's versions, from 1 without a hole.
    static func history(of instance: String, _ client: LineClient) throws -> [String] {
        var keys: [String] = []
        while true {
            try client.send(
                #"{"op":"history","id":1,"to":"\#(instance)","after":\#(keys.count),"limit":1000}"#)
            let line = try client.readLine()
            if line.contains("NO_SUCH_INSTANCE") { return [] }
            let reply = try JSONDocument(parsing: Array(line.utf8))
            guard let items = reply.member("items", of: reply.root) else {
                throw CheckFailure("history was answered \(line.prefix(300))")
            }
            for item in reply.elements(of: items) {
                let version = reply.member("v", of: item).flatMap { reply.integer($0) }
                let key = reply.member("dedup", of: item).flatMap { reply.string($0) }
                guard version == Int64(keys.count + 1), let key else {
                    throw CheckFailure("\(instance): hole or no key at version \(keys.count + 1)")
                }
                keys.append(key)
            }
            guard let next = reply.member("next", of: reply.root),
                reply.integer(next) == Int64(keys.count)
            else { return keys }
        }
    }

    private static func compareState(
        of instance: String, events: Int, _ client: LineClient
    ) throws {
        guard events > 0 else { return }
        try client.send(#"{"op":"get","id":1,"to":"\#(instance)"}"#)
        let line = try client.readLine()
        guard line.contains(#""state":{"count":\#(events)}"#), line.contains(#""v":\#(events)"#)
        else { throw CheckFailure("\(instance) has \(events) versions, and get says \(line)") }
    }
}
