import BuiltInMachines
import GroveEffects
import GroveEngine
import GroveNetwork
import GroveTestSupport
import Logging
import Synchronization
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("A server on a machine without libcurl", .ownThreads, .timeLimit(.minutes(1)))
    struct MissingLibraryTests {
        /// Returns the log lines of a start at `warning` and above.
        private static func warnings(
            allowing hosts: [HostPattern], libraries: [String]
        ) async throws -> [String] {
            let lines = LogLines()
            let log = Logger(label: "test") { _ in
                LineLogHandler(level: .warning, format: .text) { lines.append($0) }
            }
            var options = ServerOptions()
            options.listen = [.loopbackV4(port: 0)]
            options.http.allowedHosts = hosts
            options.http.libraryNames = libraries
            let server = Server(
                options: options, catalogue: try Catalogue(BuiltInMachines.definitions), log: log)
            try await server.start()
            try await server.stop(graceMilliseconds: 4_000)
            return lines.all
        }

        private final class LogLines: Sendable {
            private let lines = Mutex<[String]>([])
            var all: [String] { lines.withLock { $0 } }
            func append(_ line: [UInt8]) {
                lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }

        /// Runs in a separate process: this one may have loaded the library for another reason.
        @Test func `a server that makes no requests doesn't load the library`() throws {
            let server = try ServerProcess(data: ":memory:")
            // Foundation can't read such a file, because it trusts the reported size of 0.
            let maps = try Command.run("cat", ["/proc/\(server.processID)/maps"]).output
            #expect(maps.contains("libsqlite3") && !maps.contains("libcurl"))
            #expect(server.stop() == 0)
        }

        @Test func `a server without the library starts, and warns`() async throws {
            let warnings = try await Self.warnings(
                allowing: ["api.example.com"], libraries: ["libnone.so.4"])
            #expect(warnings.count == 1)
            #expect(warnings.first?.contains("apt-get install libcurl4") == true)
            #expect(warnings.first?.contains("machines=order") == true, "\(warnings)")
        }

        @Test func `there is no warning where no request is allowed, or with the library`()
            async throws
        {
            #expect(try await Self.warnings(allowing: [], libraries: ["libnone.so.4"]) == [])
            let names = HTTPOptions().libraryNames
            #expect(try await Self.warnings(allowing: ["api.example.com"], libraries: names) == [])
        }
    }
}
