import Foundation
import GroveTLS
import GroveTestSupport
import Testing

@Suite("TLSContext")
struct TLSContextTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates.shared.get() }

    private func identity(_ certificate: String, _ key: String) -> TLSIdentity {
        TLSIdentity(certificate: certificate, key: key)
    }

    /// The message about a server with this identity; `nil` if it is one.
    private func problem(_ identity: TLSIdentity) -> TLSContextError? {
        var options = TLSServerOptions()
        options.identities = [identity]
        do throws(TLSContextError) {
            _ = try TLSContext(server: options)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a server knows its certificates`() throws {
        let context = try TLSContext(server: TLSPair.server("server", "other"))
        #expect(context.role == .server)
        #expect(context.certificates.map(\.subject) == ["CN=server", "CN=other"])
        let first = try #require(context.certificates.first)
        #expect(first.expires - first.begins == 365 * 86_400)
        #expect(first.begins > 1_700_000_000)
    }

    @Test func `a key that doesn't fit, or that others can read, is refused`() throws {
        let certificate = certificates.certificate("server")
        let other = try #require(problem(identity(certificate, certificates.key("other"))))
        #expect(other.file == certificates.key("other"))
        #expect(other.message.contains("isn't the key of the certificate"))
        let open = certificates.path("open.key")
        try Data(contentsOf: URL(filePath: certificates.key("server")))
            .write(to: URL(filePath: open))
        for (mode, isAllowed) in [
            (0o644, false), (0o604, false), (0o620, false), (0o640, true), (0o400, true),
        ] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: open)
            let found = problem(identity(certificate, open))
            #expect((found == nil) == isAllowed)
            if let found { #expect("\(found)".contains("chmod 600")) }
        }
    }

    @Test func `files that are none, or no PEM, are named`() throws {
        let key = certificates.key("server")
        let missing = try #require(problem(identity("/nonexistent/server.pem", key)))
        #expect("\(missing)".hasPrefix("/nonexistent/server.pem: can't be opened"))
        let folder = try #require(problem(identity("/tmp", key)))
        #expect(folder.message == "is no file")
        let pipe = certificates.path("pipe.pem")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(problem(identity(pipe, key))?.message == "is no file")
        let text = certificates.path("text.pem")
        try Data("no certificate\n".utf8).write(to: URL(filePath: text))
        #expect(problem(identity(text, key))?.message.contains("no certificates in PEM") == true)
        #expect(problem(identity(key, key))?.message.contains("no certificates in PEM") == true)
        let certificate = certificates.certificate("server")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: text)
        #expect(
            problem(identity(certificate, text))?.message.contains("no private key") == true)
        let large = certificates.path("large.pem")
        try Data(count: (1 << 20) + 1).write(to: URL(filePath: large))
        #expect(problem(identity(large, key))?.message.contains("1048576 bytes") == true)
    }

    @Test func `a damaged certificate after a good one isn't skipped`() throws {
        let path = certificates.path("chain.pem")
        var text = try String(contentsOfFile: certificates.certificate("server"), encoding: .utf8)
        text += "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        try Data(text.utf8).write(to: URL(filePath: path))
        let found = problem(identity(path, certificates.key("server")))
        #expect(found?.message.contains("a damaged one") == true)
    }

    @Test func `a chain is sent, and is bounded`() throws {
        let path = certificates.path("long.pem")
        let own = try String(contentsOfFile: certificates.certificate("server"), encoding: .utf8)
        let authority = try String(contentsOfFile: certificates.certificate("ca"), encoding: .utf8)
        try Data((own + authority).utf8).write(to: URL(filePath: path))
        #expect(problem(identity(path, certificates.key("server"))) == nil)
        try Data((own + String(repeating: authority, count: 8)).utf8)
            .write(to: URL(filePath: path))
        let found = problem(identity(path, certificates.key("server")))
        #expect(found?.message == "holds more than 8 certificates")
    }

    @Test func `a key with a pass phrase is refused, and nobody is asked for it`() throws {
        let locked = certificates.path("locked.key")
        try certificates.run([
            "pkey", "-in", certificates.key("server"), "-aes256", "-passout", "pass:secret",
            "-out", locked,
        ])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: locked)
        let found = problem(identity(certificates.certificate("server"), locked))
        #expect(found?.message.contains("without a pass phrase") == true)
    }

    @Test func `a client trusts the system and shows nothing unless it is told otherwise`() throws {
        let options = TLSClientOptions()
        #expect(options.identity == nil && options.versionMin == .v1_2)
        #expect(options.protocols == [TLSContext.groveProtocol])
        guard case .system = options.trust else {
            Issue.record("\(options.trust)")
            return
        }
        let context = try TLSContext(client: options)
        #expect(context.certificates.isEmpty && context.role == TLSRole.client)
    }

    @Test func `options that contradict each other give no context`() throws {
        #expect(throws: TLSContextError.self) { try TLSContext(server: TLSServerOptions()) }
        #expect(throws: TLSContextError.self) {
            try TLSContext(server: TLSPair.server { $0.clientCertificates = .required })
        }
        #expect(throws: TLSContextError.self) {
            try TLSContext(server: TLSPair.server { $0.protocols = [] })
        }
        #expect(throws: TLSContextError.self) {
            try TLSContext(server: TLSPair.server { $0.protocols = [""] })
        }
        #expect(throws: TLSContextError.self) {
            try TLSContext(client: TLSPair.client { $0.trust = .pins([]) })
        }
        #expect(throws: TLSContextError.self) {
            try TLSContext(client: TLSPair.client { $0.trust = .authorities(file: "/none") })
        }
        let many = try TLSPair.server {
            $0.identities = Array(
                repeating: $0.identities[0], count: TLSContext.identitiesMax + 1)
        }
        #expect(throws: TLSContextError.self) { try TLSContext(server: many) }
    }

    @Test func `a list of revoked certificates must be one, have a date, and a use`() throws {
        func problem(_ list: String, _ authority: String? = nil) -> String? {
            do {
                _ = try TLSContext(
                    server: TLSPair.server {
                        $0.clientCertificates = authority == nil ? .none : .asked
                        $0.clientAuthorities = authority
                        $0.clientRevocations = list
                    })
                return nil
            } catch {
                return "\(error)"
            }
        }
        let authority = certificates.certificate("ca")
        #expect(problem("/none", authority)?.contains("/none: can't be opened") == true)
        #expect(
            problem(authority, authority)?.contains("holds no lists of revoked certificates")
                == true)
        let list = try certificates.makeRevocationList("early", of: [])
        #expect(problem(list, authority) == nil)
        let strange = try certificates.makeRevocationList("of-others", of: [], by: "stranger")
        #expect(problem(strange, authority)?.contains("isn't signed by an authority") == true)
        #expect(problem(list)?.contains("needs certificates of clients") == true)
        let ahead = try certificates.makeRevocationList(
            "ahead", of: [],
            dates: ["-crl_lastupdate", "20990101000000Z", "-crl_nextupdate", "20990102000000Z"])
        #expect(problem(ahead, authority)?.contains("from a later time on") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: list)
        #expect(problem(list, authority)?.contains("every user can change this file") == true)
        let changes = try certificates.makeRevocationList(
            "changes", of: [], extensions: "2.5.29.27=critical,ASN1:INTEGER:1")
        #expect(problem(changes, authority)?.contains("holds a delta list") == true)
        let old = try certificates.makeRevocationList(
            "old", of: [],
            dates: [
                "-crl_lastupdate", "20250101000000Z", "-crl_nextupdate", "20250102000000Z",
            ])
        #expect(problem(old, authority)?.contains("is past its date") == true)
    }

    @Test func `the name that a client asks for chooses the certificate`() throws {
        for (name, subject) in [("localhost", "CN=server"), ("other.example", "CN=other")] {
            let pair = try TLSPair(
                TLSPair.client(), TLSPair.server("server", "other"), serverName: name)
            pair.carry()
            #expect(pair.client.peer?.subject == subject)
            #expect(pair.client.phase == .open)
        }
        let unknown = try TLSPair(
            TLSPair.client(), TLSPair.server("server", "other"), serverName: "nobody.example")
        unknown.carry()
        #expect(unknown.clientFailure?.kind == .certificateName)
        #expect(unknown.clientFailure?.subject == "CN=server")
    }

    @Test func `certificates of clients count with every certificate of the server`() throws {
        let authority = certificates.certificate("ca")
        for (client, isOpen) in [("client", true), ("foreign", false)] {
            let pair = try TLSPair(
                TLSPair.client(client),
                TLSPair.server("server", "other") {
                    $0.clientCertificates = .required
                    $0.clientAuthorities = authority
                }, serverName: "other.example")
            pair.carry()
            #expect((pair.server.phase == .open) == isOpen)
        }
    }

    @Test func `the oldest version can be 1.3`() throws {
        for (client, server) in [(TLSVersion.v1_2, TLSVersion.v1_3), (.v1_3, .v1_2)] {
            let pair = try TLSPair(
                TLSPair.client { $0.versionMin = client },
                TLSPair.server { $0.versionMin = server })
            pair.carry()
            #expect(pair.server.version == "TLSv1.3" && pair.server.phase == .open)
        }
    }
}
