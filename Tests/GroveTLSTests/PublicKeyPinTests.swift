import GroveTLS
import GroveTestSupport
import Testing

@Suite("PublicKeyPin")
struct PublicKeyPinTests {
    @Test func `a pin is read as it is written`() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<200 {
            let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            let pin = PublicKeyPin(bytes: bytes)
            #expect(pin.description.utf8.count == "sha256/".utf8.count + 44)
            #expect(PublicKeyPin(pin.description) == pin)
        }
    }

    @Test func `the hash of nothing has its known form`() {
        // SHA-256 of no bytes.
        let text = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let pin = PublicKeyPin(text)
        #expect(pin?.bytes.prefix(4) == [0xE3, 0xB0, 0xC4, 0x42])
        #expect(pin?.description == text)
    }

    @Test(arguments: [
        "", "sha256/", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "sha1/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
        "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=",
        "sha256/47DEQpj8HBSa+_TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU==",
    ])
    func `other texts are no pins`(text: String) {
        #expect(PublicKeyPin(text) == nil)
    }

    @Test func `it is what openssl computes`() throws {
        let certificates = try TestCertificates.shared.get()
        let key = certificates.path("server.pub")
        try certificates.run([
            "pkey", "-in", certificates.key("server"), "-pubout", "-outform", "DER", "-out", key,
        ])
        let said = try certificates.run(["dgst", "-sha256", "-r", key])
        let context = try TLSContext(server: TLSPair.server())
        let hex = context.certificates[0].pin.bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        #expect(said.hasPrefix(hex))
    }
}
