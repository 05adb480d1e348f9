import GroveTestSupport
import GroveWire
import Testing

@testable import GroveAccess

@Suite("Narrowing")
struct NarrowingTests {
    private func narrow(
        _ grants: [String], machine: String? = nil, instance: String? = nil
    ) throws -> Narrowing {
        let table = GrantTable(
            try PrincipalName("shop"), try grants.map { try Grant($0) })
        return AccessSubject.principal(table).narrow(
            machine: machine.map(Glob.init), instance: instance.map(Glob.init))
    }

    private func part(_ scopes: (String, String)...) -> Narrowing {
        .part(scopes.map { NameScope(machine: Glob($0.0), instance: Glob($0.1)) })
    }

    @Test func `a selection within one grant stays whole`() throws {
        #expect(try narrow(["subscribe */*"]) == .whole)
        #expect(try narrow(["subscribe order/*"], machine: "order") == .whole)
        #expect(try narrow(["subscribe o*/a*"], machine: "or*", instance: "ab?") == .whole)
    }

    @Test func `a pattern that means whole machines by accident is cut`() throws {
        #expect(try narrow(["subscribe order/?"], instance: "?") == part(("order", "?")))
        #expect(try narrow(["subscribe */?"], instance: "?") == part(("*", "?")))
        #expect(try narrow(["subscribe */*"], instance: "?") == .whole)
    }

    @Test func `a wider selection is cut to the grants`() throws {
        #expect(try narrow(["subscribe order/*"]) == part(("order", "*")))
        #expect(
            try narrow(["subscribe cart/{principal}-*", "read */*", "subscribe order/o-1"])
                == part(("cart", "shop-*"), ("order", "o-1")))
        #expect(try narrow(["subscribe o*/*"], instance: "x") == part(("o*", "x")))
        #expect(try narrow(["subscribe a*/*"], machine: "*b") == part(("a*", "*")))
    }

    @Test func `a scope within another one is left out`() throws {
        #expect(
            try narrow(["subscribe a/x", "subscribe a/*", "subscribe b/*"])
                == part(("a", "*"), ("b", "*")))
        #expect(
            try narrow(["subscribe a*/*", "subscribe *a/*"], machine: "a")
                == .whole)
        #expect(
            try narrow(["subscribe a/x", "subscribe ?/x"], machine: "a", instance: "*")
                == part(("a", "x")))
    }

    @Test func `a selection without a granted name is refused`() throws {
        #expect(try narrow([]) == .nothing)
        #expect(try narrow(["read,send */*"]) == .nothing)
        #expect(try narrow(["subscribe order/*"], machine: "door") == .nothing)
        #expect(try narrow(["subscribe order/a*"], instance: "b*") == .nothing)
    }

    @Test func `without grants there is nothing to cut, or nothing to have`() {
        #expect(AccessSubject.everything.narrow(machine: nil, instance: nil) == .whole)
        #expect(AccessSubject.nobody.narrow(machine: nil, instance: nil) == .nothing)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `exactly what is selected and granted is delivered`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'and granted is delivered'")
        var maker = GrantMaker(seed: seed)
        for _ in 0..<30 {
            let grants = try (0..<3).map { _ in try Grant(maker.grant().text) }
            let table = GrantTable(try PrincipalName("ab"), grants)
            let machine = maker.bool() ? Glob(maker.pattern(["a", "b"], upTo: 3)) : nil
            let instance = maker.bool() ? Glob(maker.pattern(["a", "b"], upTo: 3)) : nil
            let narrowing = AccessSubject.principal(table).narrow(
                machine: machine, instance: instance)
            for _ in 0..<50 {
                let name = (
                    maker.text(["a", "b"], upTo: 3), maker.text(["a", "b", "~"], upTo: 3)
                )
                let isSelected =
                    (machine?.matches(name.0.utf8) ?? true)
                    && (instance?.matches(name.1.utf8) ?? true)
                let isGranted = table.allows(.subscribe, "\(name.0)/\(name.1)")
                let isDelivered =
                    switch narrowing {
                    case .whole: isSelected
                    case .nothing: false
                    case .part(let scopes):
                        isSelected
                            && scopes.contains {
                                $0.includes(machine: name.0.utf8, instance: name.1.utf8)
                            }
                    }
                #expect(isDelivered == (isSelected && isGranted), "\(grants) \(name)")
            }
        }
    }
}
