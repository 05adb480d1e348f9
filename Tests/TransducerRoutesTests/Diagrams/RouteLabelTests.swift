import Testing

@testable import TransducerRoutes

@Suite("Labels of states and events")
struct RouteLabelTests {
    private enum Plain { case one, two(Int), three(a: Int, String) }

    private enum Wire: Encodable {
        case one
        case two(amount: Int)

        enum CodingKeys: String, CodingKey { case one = "ONE", two = "TWO" }
    }

    private enum Raw: String, Encodable { case first = "1st" }

    /// A type that can't be encoded as JSON.
    private enum Broken: Encodable {
        case one

        func encode(to encoder: any Encoder) throws { throw EncodingFailure() }
    }
    private struct EncodingFailure: Error {}

    @Test func `a case has the name of the source, and its values in parentheses`() {
        #expect(RouteLabel.of(Plain.one) == "one")
        #expect(RouteLabel.of(Plain.two(2)) == "two(2)")
        #expect(RouteLabel.of(Plain.three(a: 3, "x")) == "three(a: 3, x)")
        #expect(RouteLabel.name(of: Plain.two(2)) == "two")
    }

    @Test func `where there is a wire form, the name is that of the wire`() {
        #expect(RouteLabel.of(Wire.one) == "ONE")
        #expect(RouteLabel.of(Wire.two(amount: 5)) == "TWO(amount: 5)")
        #expect(RouteLabel.name(of: Wire.two(amount: 5)) == "TWO")
        #expect(RouteLabel.name(of: Raw.first) == "1st")
    }

    @Test func `a value that can't be written keeps its name`() {
        #expect(RouteLabel.name(of: Broken.one) == "one")
    }

    @Test func `other values describe themselves`() {
        #expect(RouteLabel.of("text") == "text")
        #expect(RouteLabel.name(of: 5) == "5")
        #expect(RouteLabel.of(Word(stringLiteral: "w")) == "w")
    }
}
