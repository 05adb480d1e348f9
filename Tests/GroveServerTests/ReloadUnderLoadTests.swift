import BuiltInMachines
import Foundation
import GroveEngine
import GroveNetwork
import GroveTestSupport
import OrderedJSON
import Synchronization
import Testing
import Transducers

@testable import GroveServer

extension OverSockets {
    @Suite("Reloading under load", .timeLimit(.minutes(2)))
    struct ReloadUnderLoadTests {
        private let folder: TemporaryFolder
        private let certificates: TestCertificates

        init() throws {
            folder = try TemporaryFolder()
            certificates = try TestCertificates.shared.get()
        }

        /// Copies an identity to the paths that the server uses.
        private func use(_ name: String) throws {
            for (from, to) in [
                (certificates.certificate(name), "now.pem"), (certificates.key(name), "now.key"),
            ] {
                try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: folder.path(to)))
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: folder.path(to))
            }
        }

        private func source() throws -> ConfigurationSource {
            ConfigurationSource(
                flags: [
                    "listen": "tls:127.0.0.1:0", "data": ":memory:",
                    "tls-certificate": folder.path("now.pem"),
                    "tls-key": folder.path("now.key"),
                ])
        }

        /// Sends events in bursts on one connection until the flag is set, and returns how many
        /// were answered.
        ///
        /// - Throws: If the connection ends, or an answer is missing or a refusal.
        @Sendable private static func load(
            _ port: UInt16, _ name: String, until done: Flag
        ) throws -> Int64 {
            let client = try LineClient(port: port, tls: TLSServing.client())
            let event = #"{"op":"send","id":1,"to":"counter/\#(name)","event":"increment"}"#
            var answered: Int64 = 0
            while !done.isSet.load(ordering: .relaxed) {
                for _ in 0..<16 { try client.send(event) }
                for _ in 0..<16 {
                    answered += 1
                    let answer = try client.readLine()
                    guard try answer.json("v")?.integer == answered else {
                        throw TestProblem("answer \(answered): \(answer)")
                    }
                }
            }
            return answered
        }

        private final class Flag: Sendable { let isSet = Atomic(false) }

        @Test func `twenty reloads of certificates drop no connection and no answer`()
            async throws
        {
            try use("soon")
            let source = try source()
            let configuration = try ServerConfiguration.load(source)
            let server = Server(
                options: configuration.options,
                catalogue: try Catalogue(BuiltInMachines.definitions), log: Log.silent)
            try await server.start()
            do {
                try await reload(server, configuration, source)
            } catch {
                // The error of the test is the one to report.
                try? await server.stop(graceMilliseconds: 0)
                throw error
            }
            try await server.stop(graceMilliseconds: 2_000)
        }

        private func reload(
            _ server: Server, _ configuration: ServerConfiguration, _ source: ConfigurationSource
        ) async throws {
            await server.configure(configuration, from: source)
            let port = try #require(await server.listeningAddress).port
            let done = Flag()
            let counts = try await withThrowingTaskGroup(of: Int64.self) { group in
                // Also after an error: the group waits for its tasks.
                defer { done.isSet.store(true, ordering: .relaxed) }
                for name in ["a", "b", "c", "d"] {
                    group.addTask {
                        try await onOwnThread { () throws in
                            try Self.load(port, name, until: done)
                        }
                    }
                }
                for number in 1...20 {
                    try use(number % 2 == 0 ? "soon" : "server")
                    let outcome = await server.reload()
                    guard case .reloaded = outcome else { throw TestProblem("\(outcome)") }
                    // The new certificate is in use before the next reload.
                    let fresh = try LineClient(port: port, tls: TLSServing.client())
                    let stats = try fresh.ask(#"{"op":"stats","id":1}"#)
                    let left = try stats.json("tls_certificate_expires_s")?.integer ?? 0
                    #expect((left > 11 * 86_400) == (number % 2 == 1), "reload \(number)")
                }
                done.isSet.store(true, ordering: .relaxed)
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts.count == 4 && counts.allSatisfy { $0 > 0 }, "\(counts)")
        }
    }
}
