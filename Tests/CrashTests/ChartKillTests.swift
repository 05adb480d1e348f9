import Foundation
import Glibc
import GroveTestSupport
import OrderedJSON
import Testing

/// SIGKILL under a server whose machines are statecharts with timers, parallel regions and
/// children. Each event counts once, whatever became of its reply; timers and children continue.
@Suite("SIGKILL with statecharts")
struct ChartKillTests {
    /// A counter beside a region that changes by timers and one that starts children.
    /// A new version is the same but for its number, which a migration to it adds to `moves`.
    private static let account = """
        {"id":"account","version":"1","initial":"p","context":{"n":0,"ticks":0,"kids":0,"moves":[]},
        "migrates":{"context":{"moves":"context.moves + [1]"}},"states":
        {"p":{"type":"parallel","on":{"ADD":{"assign":{"n":"context.n + event.by"}}},"states":{
        "clock":{"initial":"x","states":{
        "x":{"after":{"30ms":{"target":"y","assign":{"ticks":"context.ticks + 1"}}}},
        "y":{"after":{"40ms":{"target":"x","assign":{"ticks":"context.ticks + 1"}}}}}},
        "work":{"initial":"idle","states":{"idle":{"on":{"KID":"run"}},"run":{"invoke":{"id":"k",
        "src":"machine:kid","input":{"n":"1"},"onDone":{"target":"idle",
        "assign":{"kids":"context.kids + event.output.n"}}}}}}}}}}
        """
    private static let kid = """
        {"id":"kid","version":"1","initial":"w","context":{"n":0},"states":{
        "w":{"after":{"20ms":"d"}},"d":{"type":"final","output":{"n":"context.n"}}}}
        """

    private static func account(version: Int) -> String {
        account.replacingOccurrences(of: #""version":"1""#, with: #""version":"\#(version)""#)
            .replacingOccurrences(of: "moves + [1]", with: "moves + [\(version)]")
            .replacingOccurrences(of: "\n", with: "")
    }

    /// One client's events: those that are open are sent again after a kill, with their keys.
    private struct Events {
        var random: SeededRandom
        var open: [(key: Int, instance: String, by: Int64?)] = []
        var sums: [String: Int64] = [:]
        private var lastKey = 0

        init(seed: UInt64) { random = SeededRandom(seed: seed) }

        mutating func fill(to count: Int) -> [String] {
            var lines: [String] = []
            while open.count < count {
                lastKey += 1
                let instance = "account/\(Int.random(in: 0..<8, using: &random))"
                let isWork = Int.random(in: 0..<10, using: &random) == 0
                let by = isWork ? nil : Int64.random(in: 1...9, using: &random)
                open.append((lastKey, instance, by))
                lines.append(Self.line(open[open.count - 1]))
            }
            return lines
        }

        static func line(_ event: (key: Int, instance: String, by: Int64?)) -> String {
            let text = event.by.map { #"{"type":"ADD","by":\#($0)}"# } ?? #""KID""#
            return #"{"op":"send","id":\#(event.key),"to":"\#(event.instance)","event":\#(text),"#
                + #""dedup":"k\#(event.key)"}"#
        }

        mutating func acknowledge(_ key: Int64) {
            guard let place = open.firstIndex(where: { $0.key == Int(key) }) else { return }
            let event = open.remove(at: place)
            if let by = event.by { sums[event.instance, default: 0] += by }
        }
    }

    /// Sends events until the server is gone, or until none is open if `isLast`.
    private func run(port: UInt16, _ events: inout Events, isLast: Bool = false) throws {
        do {
            let client = try LineClient(port: port)
            try client.send(events.open.map(Events.line).joined(separator: "\n"))
            while !(isLast && events.open.isEmpty) {
                let lines = isLast ? [] : events.fill(to: 16)
                if !lines.isEmpty { try client.send(lines.joined(separator: "\n")) }
                let reply = try JSONValue(parsing: Array(client.readLine().utf8))
                guard let key = reply["id"]?.integer else { continue }
                #expect(reply["ok"]?.bool == true, "\(reply)")
                events.acknowledge(key)
            }
        } catch {
            // The server is gone: the open events have an unknown outcome.
            if isLast { throw error }
        }
    }

    /// Gives all instances a new version, again and again, until the server is gone or all have it.
    private func migrate(port: UInt16, to version: Int) throws {
        let client = try LineClient(port: port)
        let definition = Self.account(version: version)
        try client.send(#"{"op":"define","id":0,"definition":\#(definition)}"#)
        let defined = try JSONValue(parsing: Array(client.readLine().utf8))
        #expect(defined["ok"]?.bool == true, "\(defined)")
        for number in 0..<8 {
            try client.send(
                #"{"op":"migrate","id":1,"to":"account/\#(number)","version":"\#(version)"}"#)
            let reply = try JSONValue(parsing: Array(client.readLine().utf8))
            let isKnown = reply["error"]?["code"]?.string == "NO_SUCH_INSTANCE"
            #expect(reply["ok"]?.bool == true || isKnown, "\(reply)")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [1] as [UInt64])
    func `migrations under load and ten kills: each happens once, or not at all`(
        seed: UInt64
    ) throws {
        let folder = try TemporaryFolder()
        try Data(Self.account.utf8)
            .write(to: URL(fileURLWithPath: folder.path("account.json")))
        try Data(Self.kid.utf8).write(to: URL(fileURLWithPath: folder.path("kid.json")))
        let data = folder.path("charts.db")
        var events = Events(seed: seed)
        for version in 2...11 {
            // Only the first start reads the folder: its version would be older than the newest.
            let arguments = version == 2 ? ["--machines", folder.path("")] : []
            let server = try ServerProcess(data: data, arguments: arguments)
            let (port, processID) = (server.port, server.processID)
            let delay = Int.random(in: 20...600, using: &events.random)
            let ended = DispatchGroup()
            DispatchQueue.global().async(group: ended) {
                usleep(UInt32(delay) * 500)
                // The server may be gone at any time: then the rest is migrated later.
                try? migrate(port: port, to: version)
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
                _ = kill(processID, SIGKILL)
            }
            try run(port: port, &events)
            _ = server.wait()
            ended.wait()
        }
        let server = try ServerProcess(data: data)
        try run(port: server.port, &events, isLast: true)
        try migrate(port: server.port, to: 12)
        let client = try LineClient(port: server.port)
        var moves: Set<Int64> = []
        for (instance, sum) in events.sums {
            try client.send(#"{"op":"get","id":1,"to":"\#(instance)"}"#)
            let got = try JSONValue(parsing: Array(client.readLine().utf8))
            let context = got["state"]?["context"]
            #expect(context?["n"]?.integer == sum, "\(instance)")
            #expect(got["timers"]?.array?.count == 1)
            let versions = context?["moves"]?.array?.compactMap(\.integer) ?? []
            #expect(versions.last == 12 && zip(versions, versions.dropFirst()).allSatisfy(<))
            moves.formUnion(versions)
        }
        #expect(events.sums.count == 8)
        print("seed \(seed): versions that instances were given: \(moves.sorted())")
        #expect(moves.count > 2)
        #expect(server.stop() == 0)
        let check = try Command.run(
            try GroveBinary.find().path, ["check-data", data, "--replay"])
        #expect(check.status == 0)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [1] as [UInt64])
    func `ten kills: each event counts once, and timers and children continue`(seed: UInt64) throws
    {
        print("seed \(seed): swift test --filter ChartKillTests")
        let folder = try TemporaryFolder()
        for (name, text) in [("account", Self.account), ("kid", Self.kid)] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("\(name).json")))
        }
        let data = folder.path("charts.db")
        let arguments = ["--machines", folder.path("")]
        var events = Events(seed: seed)
        for _ in 1...10 {
            let server = try ServerProcess(data: data, arguments: arguments)
            let delay = Int.random(in: 20...600, using: &events.random)
            let processID = server.processID
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
                _ = kill(processID, SIGKILL)
            }
            try run(port: server.port, &events)
            _ = server.wait()
        }
        // Without the folder: the definitions are in the data file.
        let server = try ServerProcess(data: data)
        try run(port: server.port, &events, isLast: true)
        let client = try LineClient(port: server.port)
        var ticks: Int64 = 0
        for (instance, sum) in events.sums.sorted(by: { $0.key < $1.key }) {
            var context: JSONValue?
            // A child may still run, but not for long.
            for _ in 0..<200 {
                try client.send(#"{"op":"get","id":1,"to":"\#(instance)"}"#)
                let got = try JSONValue(parsing: Array(client.readLine().utf8))
                context = got["state"]?["context"]
                #expect(got["timers"]?.array?.count == 1)
                if got["effects"]?.array?.isEmpty == true { break }
                usleep(10_000)
            }
            #expect(context?["n"]?.integer == sum, "\(instance)")
            ticks += context?["ticks"]?.integer ?? 0
        }
        #expect(events.sums.count == 8 && ticks > 0)
        #expect(server.stop() == 0)
        let check = try Command.run(
            try GroveBinary.find().path, ["check-data", data, "--replay"])
        #expect(check.status == 0)
    }
}
