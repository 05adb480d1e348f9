import GroveTestSupport
import OrderedJSON
import Testing

/// The requests of clients to a server that is killed repeatedly, and the answers. The checker
/// compares them with the server's data afterwards.
struct Workload {
    /// One event that was sent. Its key is unique in the whole run.
    struct Sent: Hashable {
        var instance: String
        var key: String
    }

    static let instances = (0..<20).map { "counter/crash-\($0)" }

    /// Events whose ack was read, with the acknowledged version.
    private(set) var acknowledged: [Sent: Int64] = [:]
    /// Events that were sent but not answered before the server died: their outcome is unknown.
    private(set) var unknown: Set<Sent> = []
    /// The records that the watcher has received from all servers, in order. `cursor` is its last
    /// one.
    private(set) var watched: [String] = []
    private var cursor: String?
    private var nextKey = 0
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Sends pipelined bursts over a few connections and follows all outputs, until the server is
    /// gone.
    ///
    /// - Parameter enough: Called after every burst with this server's acks; true ends the run.
    mutating func run(port: UInt16, until enough: (Int) -> Bool = { _ in false }) throws {
        var waiting: [[Sent]] = [[], [], []]
        var acks = 0
        do {
            let clients = try waiting.map { _ in try LineClient(port: port) }
            let watcher = try subscribe(port: port)
            try resendUnknown(on: clients[0], acks: &acks)
            while !enough(acks) {
                for index in clients.indices {
                    waiting[index] = (0..<Int.random(in: 1...64, using: &random)).map { _ in
                        makeEvent()
                    }
                    try clients[index].send(lines(waiting[index]))
                }
                for index in clients.indices {
                    while let sent = waiting[index].first {
                        if take(try reply(clients[index]), of: sent) { acks += 1 }
                        waiting[index].removeFirst()
                    }
                }
                while try watcher.hasLine() { try watch(watcher.readLine()) }
            }
        } catch is TestProblem {
            // The server is gone: unanswered requests have an unknown outcome.
        }
        for sent in waiting.joined() { unknown.insert(sent) }
    }

    /// Repeats every unknown event under its key. The answer shows its true outcome.
    private mutating func resendUnknown(on client: LineClient, acks: inout Int) throws {
        for sent in unknown.sorted(by: { $0.key < $1.key }) {
            try client.send(lines([sent]))
            guard take(try reply(client), of: sent) else { return }
            unknown.remove(sent)
            acks += 1
        }
    }

    private mutating func makeEvent() -> Sent {
        nextKey += 1
        let instance = Workload.instances[
            Int.random(in: 0..<Workload.instances.count, using: &random)]
        return Sent(instance: instance, key: "k-\(nextKey)")
    }

    private func lines(_ events: [Sent]) -> String {
        events.map {
            #"{"op":"send","id":1,"to":"\#($0.instance)","event":"increment","dedup":"\#($0.key)"}"#
        }.joined(separator: "\n")
    }

    /// Returns the next line that answers a request; skips the server's own messages.
    private func reply(_ client: LineClient) throws -> String {
        while true {
            let line = try client.readLine()
            if !line.hasPrefix(#"{"op":"#) { return line }
        }
    }

    /// Stores an answer. Returns `false` if a server that shuts down refused the event; then the
    /// event was definitely not applied.
    private mutating func take(_ line: String, of sent: Sent) -> Bool {
        if line.contains(#""code":"DRAINING""#) { return false }
        guard let reply = try? JSONDocument(parsing: Array(line.utf8)),
            let version = reply.member("v", of: reply.root).flatMap({ reply.integer($0) })
        else {
            Issue.record("a send was answered \(line)")
            return false
        }
        if let before = acknowledged.updateValue(version, forKey: sent), before != version {
            Issue.record("\(sent.key) was acknowledged as version \(before) and as \(version)")
        }
        return true
    }

    // MARK: Watching

    private func subscribe(port: UInt16) throws -> LineClient {
        let client = try LineClient(port: port)
        let from = cursor.map { #"{"after":"\#($0)"}"# } ?? #""first""#
        try client.send(
            #"{"op":"subscribe","id":2,"sub":"w","select":{"kind":["output"]},"from":\#(from)}"#)
        let reply = try client.readLine()
        guard reply.contains(#""ok":true"#) else {
            throw CheckFailure("subscribing again was answered \(reply)")
        }
        return client
    }

    private mutating func watch(_ line: String) throws {
        guard let record = try? JSONDocument(parsing: Array(line.utf8)) else {
            throw CheckFailure("half a record: \(line)")
        }
        if let next = record.member("cur", of: record.root).flatMap({ record.string($0) }) {
            cursor = next
        }
        if let to = record.member("to", of: record.root).flatMap({ record.string($0) }),
            let version = record.member("v", of: record.root).flatMap({ record.integer($0) })
        {
            watched.append("\(to)@\(version)")
        }
    }

    /// Reads until the watcher has as many records as there are events.
    mutating func watchToTheEnd(port: UInt16, count: Int) throws {
        let watcher = try subscribe(port: port)
        while watched.count < count { try watch(watcher.readLine()) }
    }
}

/// A promise that was broken.
struct CheckFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
