import Foundation
import Glibc
import GroveTestSupport
import OrderedJSON
import Testing

/// SIGKILL while the server truncates the journal. Acknowledged events must stay in effect, and
/// after the next start the journal must begin where the server reports it.
@Suite("SIGKILL during truncation")
struct RetentionKillTests {
    private static let instances = (0..<5).map { "counter/forget-\($0)" }

    /// Sends bursts until the server is gone. `acknowledged` counts each instance's acknowledged
    /// events, `sent` those that were sent.
    private func run(
        port: UInt16, _ acknowledged: inout [String: Int64], _ sent: inout [String: Int64]
    ) {
        do {
            let client = try LineClient(port: port)
            while true {
                for instance in Self.instances {
                    let line = #"{"op":"send","id":1,"to":"\#(instance)","event":"increment"}"#
                    sent[instance, default: 0] += 20
                    try client.send(Array(repeating: line, count: 20).joined(separator: "\n"))
                }
                for instance in Self.instances {
                    for _ in 0..<20 {
                        let reply = try JSONValue(parsing: Array(client.readLine().utf8))
                        if let version = reply["v"]?.integer { acknowledged[instance] = version }
                    }
                }
            }
        } catch {
            // The server is gone: unanswered requests have an unknown outcome.
        }
    }

    /// The server's retention: for all machines, for one, or both.
    enum Kept: String, CaseIterable {
        case steps, machine, both

        var arguments: [String] {
            let all = ["--keep-steps", "300"]
            let machine = ["--keep-machines", "counter:steps=100,counter:age-s=1"]
            return switch self {
            case .steps: all
            case .machine: machine
            case .both: all + machine
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: zip(Kept.allCases, [1, 2, 3] as [UInt64]))
    func `ten kills with truncations of the journal in between`(kept: Kept, seed: UInt64) throws {
        print("seed \(seed): swift test --filter RetentionKillTests")
        let folder = try TemporaryFolder()
        let data = folder.path("forget.db")
        var random = SeededRandom(seed: seed)
        var acknowledged: [String: Int64] = [:]
        var sent: [String: Int64] = [:]
        let arguments = kept.arguments
        for _ in 1...10 {
            let server = try ServerProcess(data: data, arguments: arguments)
            let delay = Int.random(in: 5...1_300, using: &random)
            let processID = server.processID
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
                _ = kill(processID, SIGKILL)
            }
            run(port: server.port, &acknowledged, &sent)
            _ = server.wait()
        }
        let server = try ServerProcess(data: data, arguments: arguments)
        let client = try LineClient(port: server.port)
        for (instance, version) in acknowledged.sorted(by: { $0.key < $1.key }) {
            try client.send(#"{"op":"get","id":1,"to":"\#(instance)"}"#)
            let got = try JSONValue(parsing: Array(client.readLine().utf8))
            let count = try #require(got["v"]?.integer)
            #expect(count >= version && count <= sent[instance] ?? 0)
            #expect(got["state"]?["count"]?.integer == count)
        }
        // The journal shrinks to its bound, and the remaining steps have no hole.
        var steps: Int64 = .max
        while steps > 1_000 {
            try client.send(#"{"op":"stats","id":1}"#)
            let stats = try JSONValue(parsing: Array(client.readLine().utf8))
            steps = try #require(stats["journal_steps"]?.integer)
        }
        try client.send(
            #"{"op":"subscribe","id":1,"sub":"s","from":"first","select":{"kind":["trace"]}}"#)
        var last: [String: Int64] = [:]
        var line = try JSONValue(parsing: Array(client.readLine().utf8))
        while line["mark"]?.string != "live" {
            line = try JSONValue(parsing: Array(client.readLine().utf8))
            // Another truncation may have run in between. Then a gap is reported.
            if line["mark"]?.string == "gap" { last = [:] }
            guard let to = line["to"]?.string, let version = line["v"]?.integer else { continue }
            if let before = last.updateValue(version, forKey: to) {
                #expect(version == before + 1)
            }
        }
        #expect(server.stop() == 0)
        let check = try Command.run(try GroveBinary.find().path, ["check-data", data])
        #expect(check.status == 0, "\(check)")
        #expect(acknowledged.values.reduce(0, +) > 1_000, "too little happened to show anything")
    }
}
