import GroveTestSupport
import GroveWire
import Testing

@testable import GroveAccess

@Suite("GrantTable")
struct GrantTableTests {
    @Test func `grants add up, and what none grants is refused`() throws {
        let table = try GrantTable.reading(
            "send(place) order/*", "send(pay) order/o-?", "read a*/b")
        #expect(table.allows(.send, "order/x", type: "place"))
        #expect(!table.allows(.send, "order/x", type: "pay"))
        #expect(table.allows(.send, "order/o-1", type: "pay"))
        #expect(!table.allows(.send, "order/o-12", type: "pay"))
        #expect(!table.allows(.send, "orders/x", type: "place"))
        #expect(table.allows(.read, "abc/b"))
        #expect(!table.allows(.read, "abc/bb"))
        #expect(!table.allows(.read, "order/x"))
        #expect(!table.allows(.manage, "abc/b"))
        #expect(table.verbs == [VerbSet(.send), VerbSet(.read)])
    }

    @Test func `send without an event type takes a grant without event types`() throws {
        let narrow = try GrantTable.reading("send(*) order/*")
        #expect(narrow.allows(.send, "order/x", type: ""))
        #expect(narrow.allows(.send, "order/x", type: "anything"))
        #expect(!narrow.allows(.send, "order/x"))
        let wide = try GrantTable.reading("send order/*")
        #expect(wide.allows(.send, "order/x"))
    }

    @Test func `the principal's own name stands for its placeholder`() throws {
        let table = try GrantTable.reading("send cart/{principal}-*", principal: "a-1")
        #expect(table.allows(.send, "cart/a-1-x"))
        #expect(!table.allows(.send, "cart/a-2-x"))
        #expect(!table.allows(.send, "cart/{principal}-x"))
    }

    @Test func `a whole machine takes a grant about all its instances`() throws {
        let table = try GrantTable.reading("manage order/o-*", "manage door/*", "manage a/?")
        #expect(!table.allows(.manage, "order"))
        #expect(table.allows(.manage, "door"))
        #expect(!table.allows(.manage, "a"))
        let sender = try GrantTable.reading("send(x) a/*", "send(x) b/?*")
        #expect(sender.allows(.send, "a", type: "x") && !sender.allows(.send, "b", type: "x"))
        withBytes("order") { #expect(table.allowsSome(.manage, $0)) }
        withBytes("orders") { #expect(!table.allowsSome(.manage, $0)) }
        withBytes("order") { #expect(!table.allowsSome(.read, $0)) }
    }

    @Test func `no grants allow nothing`() throws {
        let table = GrantTable(.anonymous, [])
        for verb in Verb.allCases { #expect(!table.allows(verb, "a/b", type: "x")) }
    }

    @Test func `it remembers a bounded number of machines`() throws {
        let table = try GrantTable.reading("read m*/*")
        for number in 0..<2_000 {
            #expect(table.allows(.read, "m\(number)/x"))
            #expect(!table.allows(.read, "n\(number)/x"))
            #expect(table.rememberedMachines <= GrantTable.machinesMax)
        }
        #expect(table.allows(.read, "m0/x"))
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `random grants agree with the model`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'agree with the model'")
        var maker = GrantMaker(seed: seed)
        for _ in 0..<20 {
            let count = Int.random(in: 0...6, using: &maker.random)
            let models = (0..<count).map { _ in maker.grant() }
            let principal = maker.pick(["a", "ab", "b-a"])
            let table = GrantTable(
                try PrincipalName(principal), try models.map { try Grant($0.text) })
            for _ in 0..<60 {
                let verb = maker.pick(Verb.allCases)
                let machine = maker.text(["a", "b"], upTo: 3)
                let instance = maker.text(["a", "b", "~", "-"], upTo: 4)
                let type = maker.bool() ? maker.text(["x", "y"], upTo: 2) : nil
                let expected = MatchingModel.allows(
                    models, of: principal, verb.rawValue, machine, instance, type)
                let found = table.allows(verb, "\(machine)/\(instance)", type: type)
                let grants = models.map(\.text)
                #expect(
                    found == expected, "\(grants) \(verb) \(machine)/\(instance) \(type ?? "-")")
            }
        }
    }
}
