import Testing

@testable import GroveAccess

@Suite("AccessSubject")
struct AccessSubjectTests {
    private func kind(_ subject: AccessSubject) -> String {
        switch subject {
        case .nobody: "nobody"
        case .everything: "everything"
        case .principal(let table): table.principal.text
        }
    }

    @Test func `a client without a name has every verb only without principals`() throws {
        let none = GrantTable(.anonymous, [])
        let some = GrantTable(.anonymous, [try Grant("read status/*")])
        #expect(kind(.unnamed(isOpen: true, anonymous: nil)) == "everything")
        #expect(kind(.unnamed(isOpen: false, anonymous: nil)) == "nobody")
        #expect(kind(.unnamed(isOpen: false, anonymous: none)) == "nobody")
        #expect(kind(.unnamed(isOpen: false, anonymous: some)) == "anonymous")
    }

    @Test func `a verb for an instance, for what the engine finds out later`() throws {
        func allows(_ subject: AccessSubject, _ verb: Verb) -> Bool {
            withBytes("order") { machine in
                withBytes("o-1") { subject.allows(verb, machine, $0) }
            }
        }
        #expect(allows(.everything, .manage) && !allows(.nobody, .manage))
        let shop = AccessSubject.principal(
            try .reading("send order/o-*", "manage order/x", "read b/*"))
        #expect(allows(shop, .send) && !allows(shop, .manage) && !allows(shop, .read))
        let narrow = AccessSubject.principal(try .reading("send(place) order/o-*"))
        #expect(!allows(narrow, .send))
    }
}
