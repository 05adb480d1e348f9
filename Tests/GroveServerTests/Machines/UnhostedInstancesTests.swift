import BuiltInMachines
import Foundation
import GroveTestSupport
import Testing
import Transducers

@testable import GroveServer

extension OverSockets {
    /// The warning about instances whose machines aren't hosted.
    @Suite("Instances whose machines aren't hosted", .timeLimit(.minutes(1)))
    struct UnhostedInstancesTests {
        private static let message =
            "instances whose machines aren't hosted get no events and no timers"

        /// The warnings of a start over a data file with these machines.
        private func warnings(
            _ path: String, hosting machines: [Definition], folder: String? = nil
        ) async throws -> [String] {
            let log = KeptLog()
            try await RunningServer.with(
                {
                    $0.store = .file(path)
                    $0.machinesFolder = folder
                }, machines: machines, log: log.logger()
            ) { _ in }
            return log.lines(with: Self.message)
        }

        @Test func `a start names their machines, with the number of those that aren't done`()
            async throws
        {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let path = folder.path("grove.db")
            try await RunningServer.with({ $0.store = .file(path) }) { running in
                let client = try running.connect()
                for name in ["counter/a", "counter/b", "counter/c", "order/o", "turnstile/t"] {
                    #expect(
                        try client.ask(#"{"op":"create","id":1,"to":"\#(name)"}"#).contains(
                            #""ok":true"#), "\(name)")
                }
                for name in ["counter/c", "turnstile/t"] {
                    let stop = #"{"op":"stop","id":2,"to":"\#(name)"}"#
                    #expect(try client.ask(stop).contains(#""ok":true"#), "\(name)")
                }
            }
            let all = BuiltInMachines.definitions
            #expect(try await warnings(path, hosting: all) == [])
            let others = all.filter { !["counter", "order", "turnstile"].contains($0.name) }
            let lines = try await warnings(path, hosting: others)
            #expect(lines.count == 1)
            let line = try #require(lines.first)
            #expect(line.contains("machines=counter order\n"), "\(line)")
            #expect(line.contains("instances=3") && line.contains("start the program"), "\(line)")
        }

        @Test func `a folder's machines are hosted, and the hint names the examples`()
            async throws
        {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let path = folder.path("grove.db")
            let machines = folder.path("machines")
            try FileManager.default.createDirectory(
                atPath: machines, withIntermediateDirectories: true)
            try #"{"id":"gate","initial":"a","states":{"a":{}}}"#
                .write(toFile: machines + "/gate.json", atomically: true, encoding: .utf8)
            try await RunningServer.with(
                {
                    $0.store = .file(path)
                    $0.machinesFolder = machines
                }
            ) { running in
                let client = try running.connect()
                for name in ["counter/a", "gate/g"] {
                    _ = try client.ask(#"{"op":"create","id":1,"to":"\#(name)"}"#)
                }
            }
            let lines = try await warnings(path, hosting: [], folder: machines)
            #expect(lines.count == 1)
            let line = try #require(lines.first)
            #expect(line.contains("machines=counter\n") && line.contains("instances=1"), "\(line)")
            #expect(line.contains("only without --machines"), "\(line)")
        }

        @Test func `only a few machines are named`() async throws {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let path = folder.path("grove.db")
            let counter = try #require(
                BuiltInMachines.definitions.first { $0.name == "counter" })
            let count = EngineLoop.unhostedNamedMax + 2
            let copies = (0..<count).map { Definition(Counter.self, named: "m\($0)", version: "1") }
            try await RunningServer.with({ $0.store = .file(path) }, machines: copies) { running in
                let client = try running.connect()
                for number in 0..<count {
                    _ = try client.ask(#"{"op":"create","id":1,"to":"m\#(number)/a"}"#)
                }
            }
            let lines = try await warnings(path, hosting: [counter])
            let line = try #require(lines.first)
            #expect(line.contains("machines=m0 m1 m2 m3 m4 and 2 more\n"), "\(line)")
            #expect(line.contains("instances=7"), "\(line)")
        }
    }
}
