import GroveNetwork
import GroveTLS
import GroveTestSupport
import Testing

@testable import GroveServer

@Suite("CertificateWatch")
struct CertificateWatchTests {
    private func certificates(_ names: String...) throws -> [TLSCertificate] {
        let files = try TestCertificates.shared.get()
        var options = TLSServerOptions()
        options.identities = names.map {
            TLSIdentity(certificate: files.certificate($0), key: files.key($0))
        }
        return try TLSContext(server: options).certificates
    }

    @Test func `it warns from 14 days before the first end on, once per day`() throws {
        #expect(CertificateWatch([]) == nil)
        var watch = try #require(CertificateWatch(certificates("server", "soon")))
        #expect(watch.first.subject == "CN=soon")
        let end = watch.first.expires * 1_000
        let day: Int64 = 86_400_000
        func isDue(_ time: Int64, _ uptime: Int64) -> Bool {
            watch.isDue(time: time, uptime: uptime)
        }
        #expect(!isDue(end - 14 * day - 1, 0))
        #expect(isDue(end - 14 * day, 1))
        #expect(!isDue(end - 14 * day, day))
        #expect(isDue(end - 13 * day, day + 1))
        #expect(isDue(end + day, 20 * day))
    }

    @Test func `it warns at the end, too`() throws {
        #expect(CertificateWatch(revocationsEnd: nil) == nil)
        var watch = try #require(CertificateWatch(revocationsEnd: 1_000_000))
        let end: Int64 = 1_000_000_000
        let day: Int64 = 86_400_000
        func isDue(_ time: Int64, _ uptime: Int64) -> Bool {
            watch.isDue(time: time, uptime: uptime)
        }
        #expect(!isDue(end - 2 * day - 1, 0))
        #expect(isDue(end - day / 2, 1) && !isDue(end - 1, 2))
        #expect(isDue(end, 3) && !isDue(end + 1, 4))
        #expect(isDue(end + day, day + 3))
    }

    @Test func `a server warns at its start`() async throws {
        let log = KeptLog()
        var prepared = ServerOptions()
        try TLSServing.apply(to: &prepared, "soon")
        let tls = prepared.tls
        try await RunningServer.with(
            {
                $0.listen = []
                $0.listenTLS = [.loopbackV4(port: 0)]
                $0.tls = tls
            }, log: log.logger()
        ) { _ in
            #expect(log.lines(with: "the certificate ends soon").count == 1)
        }
    }
}
