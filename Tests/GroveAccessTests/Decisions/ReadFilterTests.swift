import GroveWire
import Testing

@testable import GroveAccess

@Suite("ReadFilter")
struct ReadFilterTests {
    private func filter(_ grants: String...) throws -> ReadFilter {
        ReadFilter(
            .principal(
                GrantTable(
                    try PrincipalName("shop"), try grants.map { try Grant($0) })))
    }

    private func shows(_ filter: ReadFilter, _ name: String) -> Bool {
        withBytes(name) { name in
            let target = AccessTarget(name: name)
            guard let instance = target.instance else {
                return filter.includes(machine: target.machine)
            }
            return filter.includes(machine: target.machine, instance: instance)
        }
    }

    @Test func `it shows what may be read`() throws {
        let filter = try filter("read order/o-*", "send,manage door/*")
        #expect(shows(filter, "order/o-1") && !shows(filter, "order/x"))
        #expect(shows(filter, "order") && !shows(filter, "door") && !shows(filter, "door/x"))
        #expect(!filter.isOpen && !filter.isClosed)
    }

    @Test func `it knows whether it shows everything or nothing`() throws {
        #expect(try filter("read */*").isOpen)
        #expect(try !filter("read */?*").isOpen)
        #expect(try filter("send */*").isClosed)
        #expect(try filter().isClosed)
        #expect(ReadFilter(.everything).isOpen && !ReadFilter(.everything).isClosed)
        #expect(!ReadFilter(.nobody).isOpen && ReadFilter(.nobody).isClosed)
        #expect(shows(ReadFilter(.everything), "a/b") && shows(ReadFilter(.everything), "a"))
        #expect(!shows(ReadFilter(.nobody), "a/b") && !shows(ReadFilter(.nobody), "a"))
    }
}
