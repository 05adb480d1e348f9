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
}
