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

    @Test func `a name with a zero byte is none`() throws {
        let certificates = try TestCertificates.shared.get()
        // DNS:a\0.b, DNS:c.d and URI:u:\0v, which the program takes only as bytes.
        let names = "30:11:82:04:61:00:2e:62:82:03:63:2e:64:86:04:75:3a:00:76"
        try certificates.make("zero", "2.5.29.17=DER:\(names)")
        let zero = try TLSContext(server: TLSPair.server("zero")).certificates[0]
        #expect(zero.hosts == ["c.d"] && zero.uris.isEmpty)
        #expect(
            zero.identities == ["cert:dns:c.d", "cert:spki:\(zero.pin)", "cert:subject:CN=zero"])
    }

    @Test func `a subject that was cut is no identity`() throws {
        let certificates = try TestCertificates.shared.get()
        let unit = "/OU=" + String(repeating: "u", count: 60)
        try certificates.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", certificates.key("long"), "-out", certificates.certificate("long"),
            "-subj", String(repeating: unit, count: 5) + "/CN=long",
        ])
        let long = try TLSContext(server: TLSPair.server("long")).certificates[0]
        #expect(long.subject.utf8.count == 256 && long.subject.hasPrefix("CN=long,OU=u"))
        #expect(long.identities == ["cert:spki:\(long.pin)"])
    }
}
