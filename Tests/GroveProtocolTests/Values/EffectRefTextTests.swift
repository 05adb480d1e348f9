import GroveEngine
import Testing

@testable import GroveProtocol

@Suite("EffectRef as text")
struct EffectRefTextTests {
    @Test(arguments: ["1.1", "12.345", "9223372036854775807.9223372036854775807", "0.0"])
    func `a written reference is read back`(text: String) {
        #expect(EffectRef(text: text)?.text == text)
    }

    @Test(arguments: [
        "", ".", "1", "1.", ".1", "1.1.1", "-1.1", "1.-1", "+1.1", "01.1", "1.01", " 1.1", "1.1 ",
        "a.b", "9223372036854775808.1", "-0.1",
    ])
    func `no other text is accepted`(text: String) {
        #expect(EffectRef(text: text) == nil)
    }
}
