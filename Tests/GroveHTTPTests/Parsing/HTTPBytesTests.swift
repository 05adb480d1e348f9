import Testing

@testable import GroveHTTP

@Suite("HTTPBytes")
struct HTTPBytesTests {
    private static let alphanumeric =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    /// The bytes of a class, in their order.
    private func members(_ isMember: (UInt8) -> Bool) -> [UInt8] {
        (0...UInt8.max).filter(isMember)
    }

    @Test func `classes are those of the standards`() {
        #expect(
            members(HTTPBytes.isToken) == (Self.alphanumeric + "!#$%&'*+-.^_`|~").utf8.sorted())
        let name = Self.alphanumeric + "-._~!$&'()*+,;="
        #expect(members(HTTPBytes.isName) == name.utf8.sorted())
        #expect(members(HTTPBytes.isTarget) == (name + ":@/?%").utf8.sorted())
    }
}
