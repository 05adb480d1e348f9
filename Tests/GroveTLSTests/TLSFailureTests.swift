import Foundation
import GroveTLS
import GroveTestSupport
import Testing

/// What is refused, and what the other side learns of it.
@Suite("TLSFailure")
struct TLSFailureTests {
    @Test func `a client that offers only other protocols is refused`() throws {
        let pair = try TLSPair(
            TLSPair.client { $0.protocols = ["http/1.1", "h2"] }, TLSPair.server())
        pair.carry()
        #expect(pair.serverFailure?.kind == .noProtocol)
        #expect(pair.clientFailure?.kind == .peerAlert)
        // no_application_protocol
        #expect(pair.clientFailure?.alert == 120)
    }

    @Test func `of several protocols the server's is chosen`() throws {
        let pair = try TLSPair(
            TLSPair.client { $0.protocols = ["http/1.1", TLSContext.groveProtocol] },
            TLSPair.server())
        pair.carry()
        #expect(pair.client.phase == .open && pair.server.phase == .open)
    }

    @Test(arguments: [
        ("expired", TLSFailure.Kind.certificateExpired), ("other", .certificateName),
        ("strange", .certificateStranger), ("forged", .certificateStranger),
        // Its name is only in its subject.
        ("localhost", .certificateName),
    ])
    func `a client refuses a wrong certificate`(name: String, kind: TLSFailure.Kind) throws {
        let pair = try TLSPair(TLSPair.client(), TLSPair.server(name))
        pair.carry()
        #expect(pair.clientFailure?.kind == kind)
        #expect(pair.clientFailure?.subject?.contains("CN=") == true)
        #expect(pair.serverFailure?.kind == .peerAlert)
        #expect(pair.client.peer == nil)
    }

    @Test func `an IP address is a name, too`() throws {
        let pair = try TLSPair(TLSPair.client(), TLSPair.server(), serverName: "127.0.0.1")
        pair.carry()
        #expect(pair.client.phase == .open)
        let other = try TLSPair(TLSPair.client(), TLSPair.server(), serverName: "127.0.0.2")
        other.carry()
        #expect(other.clientFailure?.kind == .certificateName)
    }

    @Test func `the system's authorities don't know the tests' one`() throws {
        let pair = try TLSPair(TLSPair.client { $0.trust = TLSTrust.system }, TLSPair.server())
        pair.carry()
        #expect(pair.clientFailure?.kind == .certificateStranger)
    }

    @Test(arguments: ["", "a\0b", String(repeating: "a", count: 254)])
    func `what can't be a server's name is refused`(name: String) {
        #expect(throws: TLSContextError.self) {
            try TLSPair(TLSPair.client(), TLSPair.server(), serverName: name)
        }
    }

    @Test func `a pinned key counts, whatever else the certificate says`() throws {
        let certificates = try TestCertificates.shared.get()
        let known = try TLSContext(server: TLSPair.server("expired")).certificates[0]
        #expect(known.subject == "CN=expired")
        let pinned = try TLSPair(
            TLSPair.client { $0.trust = .pins([known.pin]) }, TLSPair.server("expired"),
            serverName: "whatever")
        pinned.carry()
        #expect(pinned.client.phase == .open && pinned.client.peer == known)
        let other = try TLSPair(
            TLSPair.client { $0.trust = .pins([known.pin]) }, TLSPair.server())
        other.carry()
        #expect(other.clientFailure?.kind == .certificateRefused)
        #expect(certificates.key("server") != certificates.key("expired"))
    }

    // MARK: Certificates of clients

    private static func mutual(
        _ client: String?, _ mode: TLSServerOptions.ClientCertificates, revoked: String? = nil
    ) throws -> TLSPair {
        let authority = try TestCertificates.shared.get().certificate("ca")
        let pair = try TLSPair(
            TLSPair.client(client),
            TLSPair.server {
                $0.clientCertificates = mode
                $0.clientAuthorities = authority
                $0.clientRevocations = revoked
            })
        pair.carry()
        return pair
    }

    @Test func `a revoked certificate is refused, others of its authority are not`() throws {
        let certificates = try TestCertificates.shared.get()
        try certificates.make("lost", "extendedKeyUsage=clientAuth")
        let list = try certificates.makeRevocationList("revoked", of: ["lost"])
        let lost = try Self.mutual("lost", .required, revoked: list)
        #expect(lost.serverFailure?.kind == .certificateRefused)
        #expect(
            lost.serverFailure?.description
                == "the peer's certificate isn't valid: certificate revoked (CN=lost)")
        #expect(try Self.mutual("client", .required, revoked: list).server.phase == .open)
        #expect(try Self.mutual("lost", .required).server.phase == .open)
    }

    @Test func `without a list of its authority, no certificate counts`() throws {
        let certificates = try TestCertificates.shared.get()
        let both = certificates.path("both.pem")
        let texts = try ["ca", "stranger"].map {
            try String(contentsOfFile: certificates.certificate($0), encoding: .utf8)
        }
        try Data(texts.joined().utf8).write(to: URL(filePath: both))
        let list = try certificates.makeRevocationList("one", of: [], by: "stranger")
        func pair(_ client: String?) throws -> TLSPair {
            let pair = try TLSPair(
                TLSPair.client(client),
                TLSPair.server {
                    $0.clientCertificates = .asked
                    $0.clientAuthorities = both
                    $0.clientRevocations = list
                })
            pair.carry()
            return pair
        }
        let client = try pair("client")
        #expect(client.serverFailure?.kind == .certificateRefused)
        #expect(client.serverFailure?.description.contains("CRL") == true)
        #expect(try pair("foreign").server.phase == .open)
        // Who shows none is none of theirs.
        #expect(try pair(nil).server.phase == .open)
    }

    @Test func `an authority that another one has revoked is refused, with what it has signed`()
        throws
    {
        let certificates = try TestCertificates.shared.get()
        try certificates.makeAuthority("middle", by: "ca")
        try certificates.make("branch", "extendedKeyUsage=clientAuth", by: "middle")
        func join(_ name: String, _ files: [String]) throws -> String {
            let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
            try Data(texts.joined().utf8).write(to: URL(filePath: certificates.path(name)))
            return certificates.path(name)
        }
        let authorities = try join(
            "levels.pem", ["ca", "middle"].map(certificates.certificate))
        func failure(_ client: String, _ lists: String...) throws -> TLSFailure? {
            let list = try join("lists.crl", lists)
            let pair = try TLSPair(
                TLSPair.client(client),
                TLSPair.server {
                    $0.clientCertificates = .required
                    $0.clientAuthorities = authorities
                    $0.clientRevocations = list
                })
            pair.carry()
            return pair.serverFailure
        }
        let middle = try certificates.makeRevocationList("of-middle", of: [], by: "middle")
        let clean = try certificates.makeRevocationList("clean-root", of: [])
        let revoked = try certificates.makeRevocationList("strict-root", of: ["middle"])
        // Only the authority of the client's certificate needs a list.
        #expect(try failure("branch", middle) == nil)
        #expect(try failure("branch", middle, clean) == nil)
        #expect(try failure("branch", clean)?.description.contains("CRL") == true)
        #expect(
            try failure("branch", middle, revoked)?.description
                == "the peer's certificate isn't valid: certificate revoked (CN=branch)")
        #expect(try failure("client", middle, revoked) == nil)
    }

    @Test func `a server sees the names of a valid client`() throws {
        for mode in [TLSServerOptions.ClientCertificates.asked, .required] {
            let pair = try Self.mutual("client", mode)
            #expect(pair.server.phase == .open && pair.client.phase == .open)
            let shown = pair.server.peer
            let peer = try #require(shown)
            #expect(
                peer.identities == [
                    "cert:uri:grove:shop", "cert:dns:client.example",
                    "cert:email:a@client.example", "cert:spki:\(peer.pin)",
                    "cert:subject:CN=client",
                ])
        }
    }

    @Test func `a client without a certificate is refused only where one is required`() throws {
        #expect(try Self.mutual(nil, .none).server.phase == .open)
        let asked = try Self.mutual(nil, .asked)
        #expect(asked.server.phase == .open && asked.server.peer == nil)
        let required = try Self.mutual(nil, .required)
        #expect(required.serverFailure?.kind == .certificateMissing)
        #expect(required.clientFailure?.kind == .peerAlert)
    }

    @Test func `where none is asked for, none is sent`() throws {
        let pair = try Self.mutual("client", .none)
        #expect(pair.server.phase == .open && pair.server.peer == nil)
    }

    @Test(arguments: [
        ("late", TLSFailure.Kind.certificateExpired), ("foreign", .certificateStranger),
        ("wrongly", .certificateRefused),
    ])
    func `a wrong certificate is refused even where none is required`(
        name: String, kind: TLSFailure.Kind
    ) throws {
        for mode in [TLSServerOptions.ClientCertificates.asked, .required] {
            let pair = try Self.mutual(name, mode)
            #expect(pair.serverFailure?.kind == kind)
            #expect(pair.serverFailure?.subject == "CN=\(name)")
            #expect(pair.clientFailure?.kind == .peerAlert)
        }
    }

    @Test func `a failure says what it is`() throws {
        let pair = try Self.mutual("late", .required)
        #expect(
            pair.serverFailure?.description
                == "the peer's certificate isn't valid: certificate has expired (CN=late)")
    }
}
