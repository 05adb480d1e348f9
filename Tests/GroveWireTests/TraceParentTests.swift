import GroveWire
import Testing

@Suite("TraceParent")
struct TraceParentTests {
    private static let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func `a text is kept as it is, in 25 bytes`() throws {
        let trace = try #require(TraceParent(Self.text.utf8))
        #expect(trace.text == Self.text)
        #expect(trace.encoded.count == TraceParent.encodedBytes)
        #expect(trace.encoded.first == 0x0A && trace.encoded.last == 1)
        #expect(TraceParent(encoded: trace.encoded) == trace)
        let least = "00-00000000000000000000000000000001-0000000000000001-00"
        #expect(TraceParent(least.utf8)?.text == least)
        #expect(least.utf8.count == TraceParent.textBytes)
    }

    @Test(arguments: [
        "", "00", text + "-", text + "0", String(text.dropLast()),
        "01" + text.dropFirst(2), "ff" + text.dropFirst(2), text.uppercased(),
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331 01",
        "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-é",
    ])
    func `another text is none`(text: String) {
        #expect(TraceParent(text.utf8) == nil)
    }

    @Test func `of other flags only the sampled one may be kept`() {
        for (flags, kept) in [("ff", "01"), ("02", "00"), ("01", "01"), ("00", "00")] {
            let trace = TraceParent((Self.text.dropLast(2) + flags).utf8)
            #expect(trace?.onlySampled?.text == Self.text.dropLast(2) + kept)
        }
    }

    @Test func `other bytes are none`() {
        #expect(TraceParent(encoded: []) == nil)
        #expect(TraceParent(encoded: [UInt8](repeating: 0, count: 25)) == nil)
        #expect(TraceParent(encoded: [UInt8](repeating: 1, count: 26)) == nil)
    }
}
