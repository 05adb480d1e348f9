import Testing

@testable import CEL

struct NearNameTests {
    @Test(arguments: [
        ("piad", "paid"), ("contxt", "context"), ("evnet", "event"), ("paidd", "paid"),
        ("amuont", "amount"), ("nothing", nil), ("pa", nil), ("", nil),
        (String(repeating: "a", count: 10_000), nil),
    ])
    func `a name that differs little is found`(name: String, expected: String?) {
        let names = ["paid", "context", "event", "amount", "p"]
        #expect(NearName.nearest(to: name, among: names) == expected)
    }

    @Test func `the nearest counts, and of two the first by its name`() {
        #expect(NearName.nearest(to: "totals", among: ["totalize", "total"]) == "total")
        #expect(NearName.nearest(to: "rate", among: ["rats", "race"]) == "race")
    }
}
