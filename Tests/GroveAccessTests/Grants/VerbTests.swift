import GroveAccess
import Testing

@Suite("Verb")
struct VerbTests {
    @Test func `the verbs are a closed list in the order in which they are written`() {
        #expect(
            Verb.allCases.map(\.rawValue) == [
                "send", "read", "subscribe", "manage", "define", "admin",
            ])
    }

    @Test func `a set has the verbs that it was made of`() {
        for verb in Verb.allCases {
            #expect(VerbSet(verb).verbs == [verb])
            #expect(VerbSet.all.contains(verb))
            #expect(!VerbSet([]).contains(verb))
        }
        #expect(VerbSet([.read, .send]).verbs == [.send, .read])
        #expect(VerbSet.all.verbs == Verb.allCases)
    }
}
