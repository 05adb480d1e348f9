import Foundation
import GroveTLS
import GroveTestSupport
import Testing

@Suite("TLSCertificate")
struct TLSCertificateTests {
    @Test func `of many names the first are read, and other kinds are left out`() throws {
        let certificates = try TestCertificates.shared.get()
        let names = (0..<80).map { "DNS:host-\($0).example" }.joined(separator: ",")
        try certificates.make("crowd", "subjectAltName=\(names)")
        let crowd = try TLSContext(server: TLSPair.server("crowd")).certificates[0]
        #expect(crowd.hosts.count == 64 && crowd.hosts.first == "host-0.example")
        try certificates.make("plain", "keyUsage=digitalSignature")
        let plain = try TLSContext(server: TLSPair.server("plain")).certificates[0]
        #expect(plain.hosts.isEmpty && plain.uris.isEmpty && plain.emails.isEmpty)
        #expect(plain.identities == ["cert:spki:\(plain.pin)", "cert:subject:CN=plain"])
    }
}
