import GroveWire
import Testing

@testable import GroveAccess

@Suite("MachineGrants")
struct MachineGrantsTests {
    private func grants(of machine: String, _ texts: String...) throws -> MachineGrants {
        let shop = try PrincipalName("shop")
        return MachineGrants(
            Array(machine.utf8),
            try texts.map { text in
                let grant = try Grant(text)
                return (grant, grant.instances(of: shop))
            })
    }

    @Test func `it keeps what matters for its machine`() throws {
        let order = try grants(of: "order", "send order/*", "read o*/x", "manage door/*")
        #expect(order.verbs == [VerbSet(.send), VerbSet(.read)])
        withBytes("order") { #expect(order.isNamed($0)) }
        withBytes("orders") { #expect(!order.isNamed($0)) }
        withBytes("orden") { #expect(!order.isNamed($0)) }
        let door = try grants(of: "door", "read order/*")
        #expect(door.verbs.isEmpty)
    }

    @Test func `all instances, some instances, and events`() throws {
        let order = try grants(of: "order", "read order/*", "send(a) order/{principal}-?")
        withBytes("shop-1") { own in
            withBytes("shop-12") { foreign in
                withBytes("a") { type in
                    #expect(order.allows(.read, foreign, eventType: nil))
                    #expect(order.allows(.read, nil, eventType: nil))
                    #expect(order.allows(.send, own, eventType: type))
                    #expect(!order.allows(.send, own, eventType: nil))
                    #expect(!order.allows(.send, own, eventType: own))
                    #expect(!order.allows(.send, foreign, eventType: type))
                    #expect(!order.allows(.send, nil, eventType: type))
                    #expect(!order.allows(.manage, own, eventType: nil))
                }
            }
        }
    }
}
