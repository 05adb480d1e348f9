import BuiltInMachines
import Foundation
import GroveEngine
import GroveNetwork
import GroveTLS
import GroveTestSupport
import Logging
import OrderedJSON
import Testing
import Transducers

@testable import GroveServer

/// Which addresses and certificates let a server start, and what a reload changes.
extension OverSockets {
    @Suite("Starting and reloading with TLS", .timeLimit(.minutes(2)))
    struct TLSStartTests {
        private let certificates: TestCertificates

        init() throws { certificates = try TestCertificates.shared.get() }

        /// The failure of a server with these keys; `nil` if it starts.
        private func startFailure(_ flags: [String: String]) async throws -> Server.Failure? {
            var flags = flags
            flags["data"] = ":memory:"
            let configuration = try ServerConfiguration.load(
                file: nil, environment: [:], flags: flags)
            let server = try Server(configuration, hosting: [], handlers: .init())
            do throws(Server.Failure) {
                try await server.start()
            } catch {
                return error
            }
            try await server.stop(graceMilliseconds: 1_000)
            return nil
        }

        private func identity(_ name: String) -> [String: String] {
            [
                "tls-certificate": certificates.certificate(name),
                "tls-key": certificates.key(name),
            ]
        }

        @Test func `an address that others can reach wants to know its clients`() async throws {
            let required = [
                "tls-client-certificates": "required",
                "tls-client-ca": certificates.certificate("ca"),
            ]
            let asked = required.merging(["tls-client-certificates": "asked"]) { $1 }
            let anonymous = ["insecure-anonymous": "true"]
            let plaintext = ["insecure-plaintext": "true"]
            for (address, more, advice) in [
                ("tls:127.0.0.1:0", [:], nil), ("tls:localhost:0", [:], nil),
                ("tls:[::1]:0", [:], nil), ("tls:0.0.0.0:0", [:], "--insecure-anonymous"),
                ("tls:0.0.0.0:0", asked, "--insecure-anonymous"),
                ("tls:0.0.0.0:0", plaintext, "--insecure-anonymous"),
                ("tls:0.0.0.0:0", required, nil), ("tls:0.0.0.0:0", anonymous, nil),
                ("0.0.0.0:0", required, "--insecure-plaintext"),
                ("0.0.0.0:0", anonymous, "--insecure-plaintext"), ("0.0.0.0:0", plaintext, nil),
                ("tls:127.0.0.1:0,0.0.0.0:0", required, "--insecure-plaintext"),
            ] as [(String, [String: String], String?)] {
                let flags = identity("server").merging(more) { $1 }
                    .merging(["listen": address]) { $1 }
                let failure = try await startFailure(flags)
                #expect(failure?.exitCode == (advice == nil ? nil : 78), "\(address) \(more)")
                if let advice { #expect(failure?.message.contains(advice) == true) }
            }
        }

        @Test func `what is missing or wrong is named with what to do`() async throws {
            let listen = ["listen": "tls:127.0.0.1:0"]
            let open = certificates.path("readable.key")
            try Data(contentsOf: URL(filePath: certificates.key("server")))
                .write(to: URL(filePath: open))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
            let certificate = certificates.certificate("server")
            for (flags, text) in [
                ([:], "name it with --tls-certificate"),
                (["tls-certificate": certificate], "name it with --tls-key"),
                (["tls-key": certificates.key("server")], "as many --tls-certificate as --tls-key"),
                (["tls-certificate": certificate, "tls-key": open], "chmod 600"),
                (
                    ["tls-certificate": certificate, "tls-key": certificates.key("other")],
                    "isn't the key of the certificate \(certificate)"
                ),
                (identity("expired"), "the certificate ended"),
                (
                    ["tls-certificate": "/none.pem", "tls-key": certificates.key("server")],
                    "/none.pem: can't be opened"
                ),
                (
                    identity("server").merging(["tls-client-certificates": "required"]) { $1 },
                    "--tls-client-ca"
                ),
                (
                    identity("server").merging(["tls-client-ca": "/none.pem"]) { $1 },
                    "tls-client-ca: no client is asked"
                ),
                (
                    identity("server").merging(["tls-client-crl": "/none.crl"]) { $1 },
                    "tls-client-crl: no client is asked"
                ),
            ] as [([String: String], String)] {
                let failure = try await startFailure(flags.merging(listen) { $1 })
                #expect(failure?.exitCode == 78)
                #expect(
                    failure?.message.contains(text) == true, "\(failure?.message ?? "it starts")")
            }
        }

        @Test func `a Unix socket with TLS is refused`() {
            #expect(throws: ConfigurationError.self) {
                try ServerConfiguration.load(
                    file: nil, environment: [:], flags: ["listen": "tls:unix:/tmp/s"])
            }
        }

        @Test func `a switch that allows less safety is a warning at every start`() async throws {
            let log = KeptLog()
            var prepared = ServerOptions()
            try TLSServing.apply(to: &prepared)
            let tls = prepared.tls
            let everywhere = try #require(SocketAddress("0.0.0.0:0"))
            try await RunningServer.with(
                {
                    $0.listen = [everywhere]
                    $0.listenTLS = [everywhere]
                    $0.tls = tls
                    $0.allowsInsecurePlaintext = true
                    $0.allowsInsecureAnonymous = true
                }, log: log.logger()
            ) { _ in
                #expect(log.lines(with: "insecure-plaintext: everybody").count == 1)
                #expect(log.lines(with: "insecure-anonymous: everybody").count == 1)
            }
        }

        @Test func `files for TLS that no address uses are a warning, also where there is none`()
            async throws
        {
            let log = KeptLog()
            let warning = "files for TLS are not read: no address has TLS"
            try await RunningServer.with(
                { $0.tls.identities = [TLSIdentity(certificate: "/none.pem", key: "/none.key")] },
                log: log.logger()
            ) { _ in
                #expect(log.lines(with: warning).count == 1)
            }
            try await RunningServer.with({ _ in }, log: log.logger()) { _ in
                #expect(log.lines(with: warning).count == 1)
            }
        }

        // MARK: Reloading

        /// Copies an identity to the paths that a server uses.
        private func use(_ name: String, in folder: TemporaryFolder) throws {
            for (from, to) in [
                (certificates.certificate(name), "now.pem"), (certificates.key(name), "now.key"),
            ] {
                let data = try Data(contentsOf: URL(filePath: from))
                try data.write(to: URL(filePath: folder.path(to)))
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: folder.path(to))
            }
        }

        @Test func `new files at the same paths are used by new connections`() async throws {
            let folder = try TemporaryFolder()
            try use("soon", in: folder)
            let file = folder.path("grove.json")
            let text = """
                {"listen":"tls:127.0.0.1:0","data":":memory:",
                 "tls-certificate":"\(folder.path("now.pem"))",
                 "tls-key":"\(folder.path("now.key"))"}
                """
            try Data(text.utf8).write(to: URL(filePath: file))
            let source = ConfigurationSource(file: file)
            let configuration = try ServerConfiguration.load(source)
            let log = KeptLog()
            let server = Server(
                options: configuration.options, catalogue: try Catalogue([]), log: log.logger())
            try await server.start()
            await server.configure(configuration, from: source)
            let address = try #require(await server.listeningAddress)
            func expires() throws -> Int64? {
                let client = try LineClient(port: address.port, tls: TLSServing.client())
                return try client.ask(#"{"op":"stats","id":1}"#)
                    .json("tls_certificate_expires_s")?.integer
            }
            let before = try LineClient(port: address.port, tls: TLSServing.client())
            #expect(try (expires() ?? 0) < 11 * 86_400)
            try use("server", in: folder)
            _ = await server.reload()
            #expect(try (expires() ?? 0) > 300 * 86_400)
            #expect(try before.ask(#"{"op":"ping","id":1}"#).json("ok") == true)
            // Wrong files change nothing.
            try Data("none".utf8).write(to: URL(filePath: folder.path("now.pem")))
            _ = await server.reload()
            #expect(log.lines(with: "not reloaded").first?.contains("now.pem") == true)
            #expect(try (expires() ?? 0) > 300 * 86_400)
            #expect(try before.ask(#"{"op":"ping","id":1}"#).json("ok") == true)
            try await server.stop(graceMilliseconds: 1_000)
        }

        @Test func `nothing that a server writes or sends has a piece of its key`() async throws {
            let folder = try TemporaryFolder()
            try use("server", in: folder)
            let key = try String(contentsOfFile: folder.path("now.key"), encoding: .utf8)
            let source = ConfigurationSource(flags: [
                "listen": "tls:127.0.0.1:0", "data": folder.path("grove.db"),
                "tls-certificate": folder.path("now.pem"), "tls-key": folder.path("now.key"),
            ])
            let configuration = try ServerConfiguration.load(source)
            let log = KeptLog()
            let server = Server(
                options: configuration.options,
                catalogue: try Catalogue(BuiltInMachines.definitions),
                log: log.logger(level: .trace))
            try await server.start()
            await server.configure(configuration, from: source)
            let port = try #require(await server.listeningAddress).port
            let client = try LineClient(port: port, tls: TLSServing.client())
            var said = ""
            for op in ["stats", "definitions", "reload", "list"] {
                said += try client.ask(#"{"op":"\#(op)","id":1}"#)
            }
            said += try client.ask(#"{"op":"send","id":1,"to":"counter/a","event":"increment"}"#)
            // A key that is cut off, and one of another certificate.
            let cut = key.prefix(key.utf8.count / 2)
            let other = try String(contentsOfFile: certificates.key("other"), encoding: .utf8)
            for wrong in [String(cut), other] {
                try Data(wrong.utf8).write(to: URL(filePath: folder.path("now.key")))
                _ = await server.reload()
            }
            #expect(log.lines(with: "not reloaded").count == 2)
            var files = Data()
            for file in ["grove.db", "grove.db-wal"] {
                files += try Data(contentsOf: URL(filePath: folder.path(file)))
            }
            try await server.stop(graceMilliseconds: 1_000)
            files += try Data(contentsOf: URL(filePath: folder.path("grove.db")))
            #expect(!files.isEmpty)
            let printed = try Command.run(
                try GroveBinary.find().path,
                [
                    "serve", "--print-config", "--json", "--tls-key", certificates.key("server"),
                    "--tls-certificate", certificates.certificate("server"),
                ])
            #expect(printed.output.contains(certificates.key("server")))
            said += log.lines(with: " ").joined() + printed.output
            for key in [key, other] { try expectNoPiece(of: key, in: said, files) }
        }

        /// Neither the lines of base64, nor the number that is the secret.
        private func expectNoPiece(of key: String, in said: String, _ files: Data) throws {
            let lines = key.split(separator: "\n").filter { !$0.hasPrefix("-----") }
            for piece in lines.flatMap({ [$0.prefix(24), $0.suffix(24)] }) {
                #expect(!said.contains(piece))
                #expect(files.range(of: Data(piece.utf8)) == nil)
            }
            let bytes = try #require(Data(base64Encoded: lines.joined()))
            // ECPrivateKey of RFC 5915: version 1, then a string of 32 bytes.
            let head = try #require(bytes.range(of: Data([2, 1, 1, 4, 32])))
            #expect(files.range(of: bytes[head.upperBound..<head.upperBound + 32]) == nil)
        }

        @Test func `a reload reads lists again, and says how clients can say who they are`()
            async throws
        {
            let folder = try TemporaryFolder()
            try use("server", in: folder)
            let certificates = try TestCertificates.shared.get()
            let list = try certificates.makeRevocationList("reloaded", of: [])
            let file = folder.path("grove.json")
            func write(_ asked: String, _ more: String = "") throws {
                let text = """
                    {"listen":["127.0.0.1:0","tls:127.0.0.1:0"],"data":":memory:",\(more)
                     "tls-client-certificates":"\(asked)",
                     "tls-certificate":"\(folder.path("now.pem"))",
                     "tls-key":"\(folder.path("now.key"))"}
                    """
                try Data(text.utf8).write(to: URL(filePath: file))
            }
            try write("none")
            let source = ConfigurationSource(file: file)
            let configuration = try ServerConfiguration.load(source)
            let log = KeptLog()
            let server = Server(
                options: configuration.options, catalogue: try Catalogue([]), log: log.logger())
            try await server.start()
            await server.configure(configuration, from: source)
            let address = try #require(await server.listeningAddress)
            func ways() throws -> JSONValue? {
                let auth = #"{"op":"auth","id":1,"token":"wrong"}"#
                return try LineClient(port: address.port).ask(auth).json("error")?["data"]?["auth"]
            }
            #expect(try ways() == ["token"])
            #expect(log.lines(with: "read again").isEmpty)
            let authority = certificates.certificate("ca")
            try write(
                "asked", #""tls-client-ca":"\#(authority)","tls-client-crl":"\#(list)","#)
            _ = await server.reload()
            #expect(log.lines(with: "revoked certificates read again").count == 1)
            #expect(try ways() == ["token", "certificate"])
            try await server.stop(graceMilliseconds: 1_000)
        }
    }
}
