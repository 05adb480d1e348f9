import Foundation
import GroveTestSupport
import GroveWire
import Testing

@Suite("Base64")
struct Base64Tests {
    private func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64.append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    @Test func `the text agrees with other encoders, and is read back`() {
        var random = SeededRandom(seed: 64)
        for count in Array(0...70) + [1_000, 4_096] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(text(bytes) == Data(bytes).base64EncodedString())
            #expect(Base64.decode(text(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AA", "AAA", "AAA==", "=AAA", "A===", "====", "AA=A", "AA-A", "AA A", "AAAA\n",
        "AB==", "AAB=", "éA==",
    ])
    func `other texts are refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
