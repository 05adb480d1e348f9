import Testing

@testable import OrderedJSON

@Suite("ByteText")
struct ByteTextTests {
    @Test func `texts are equal if their bytes are`() {
        let texts = ["b\u{fc}hne", "bu\u{308}hne", "b\u{fc}hne", "", "bühne2"].map(ByteText.init)
        #expect(texts[0] != texts[1] && texts[0] == texts[2])
        #expect(texts[0].text == texts[1].text, "as strings they are")
        #expect(Set(texts).count == 4)
    }
}
