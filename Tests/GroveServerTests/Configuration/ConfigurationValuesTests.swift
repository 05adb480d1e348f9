import Testing

@testable import GroveServer

@Suite("ConfigurationValues")
struct ConfigurationValuesTests {
    private let values = ConfigurationValues([
        ConfigurationSetting(key: "a", value: .integer(7), origin: .standard),
        ConfigurationSetting(key: "a", value: .integer(8), origin: .program),
        ConfigurationSetting(key: "b", value: .text("t"), origin: .standard),
        ConfigurationSetting(key: "c", value: .texts(["t", "u"]), origin: .standard),
        ConfigurationSetting(key: "d", value: .flag(true), origin: .standard),
    ])

    @Test func `each kind is read by its key, the first setting wins`() {
        #expect(values.integer("a") == 7)
        #expect(values.text("b") == "t")
        #expect(values.texts("c") == ["t", "u"])
        #expect(values.flag("d"))
    }

    @Test func `what isn't there, or of another kind, is empty`() {
        #expect(values.integer("b") == 0 && values.integer("z") == 0)
        #expect(values.text("a").isEmpty && values.texts("b").isEmpty)
        #expect(!values.flag("a") && !values.flag("z"))
    }
}
