import GroveAccess
import GroveWire
import Testing

@Suite("NameScope")
struct NameScopeTests {
    private func includes(_ machine: String, _ instance: String, _ name: String) -> Bool {
        let scope = NameScope(machine: Glob(machine), instance: Glob(instance))
        let parts = name.split(separator: "/")
        return scope.includes(machine: parts[0].utf8, instance: parts[1].utf8)
    }

    @Test func `both parts of a name must match`() {
        #expect(includes("a*", "b?", "ax/by"))
        #expect(!includes("a*", "b?", "x/by"))
        #expect(!includes("a*", "b?", "ax/b"))
    }

    @Test func `records of a whole machine belong to scopes with all its instances`() {
        #expect(includes("a", "*", "a/*"))
        #expect(!includes("a", "?", "a/*"))
        #expect(!includes("a", "*x", "a/*"))
    }
}
