import OrderedJSON
import Testing
import TransducerRoutes

@Suite("State and event patterns")
struct PatternTests {
    @Test func `a state pattern is one state or any`() {
        #expect(StatePattern<Stop>(rawValue: .s0) == .some(.s0))
        #expect(StatePattern<Stop>(rawValue: nil) == .any)
        #expect(StatePattern<Stop>.some(.s0).rawValue == .s0)
        #expect(StatePattern<Stop>.any.rawValue == nil)
        #expect(StatePattern<Stop>.any.isAny)
        #expect(!StatePattern<Stop>.some(.s0).isAny)
    }

    @Test func `any matches every state and is equal to none`() {
        let any = StatePattern<Stop>.any
        #expect(Stop.allCases.allSatisfy(any.matches))
        #expect(!Stop.allCases.contains { any == $0 || $0 == any })
        let one = StatePattern<Stop>.some(.s1)
        #expect(Stop.allCases.filter(one.matches) == [.s1])
        #expect(one == Stop.s1)
        #expect(Stop.s1 == one)
    }

    @Test func `an event pattern is one event or any`() {
        #expect(EventPattern<Call>(rawValue: .go) == .some(.go))
        #expect(EventPattern<Call>(rawValue: nil) == .any)
        #expect(EventPattern<Call>.some(.go).rawValue == .go)
        #expect(EventPattern<Call>.any.rawValue == nil)
        #expect(Call.allCases.allSatisfy(EventPattern.any.matches))
        #expect(Call.allCases.filter(EventPattern.some(.go).matches) == [.go])
        #expect(EventPattern.some(Call.go) == Call.go)
        #expect(Call.go == EventPattern.some(Call.go))
        #expect(EventPattern<Call>.any.description == "any")
    }

    @Test func `there is no event of a machine without events`() {
        #expect(NoEvent.allCases.isEmpty)
    }

    @Test(arguments: [(StatePattern<Stop>.any, "null"), (.some(.s2), #""s2""#)])
    func `a pattern is written as its state, any as null`(
        pattern: StatePattern<Stop>, text: String
    ) throws {
        var writer = JSONWriter()
        try JSONCoding.encode(pattern, into: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
        let document = try JSONDocument(parsing: writer.bytes)
        let read = try JSONCoding.decode(
            StatePattern<Stop>.self, from: document, at: document.root)
        #expect(read == pattern)
    }
}
