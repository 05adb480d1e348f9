import Testing

@testable import GroveEngine

@Suite("Bytes of names")
struct NameBytesTests {
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    private static let digits = "0123456789"

    @Test func `the classes have the bytes that the page names, and no other`() {
        let machine = Set((Self.letters + Self.digits + "_.-").utf8)
        let instance = Set((Self.letters + Self.digits + "._:@~+=,-").utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(NameBytes.isLetter(byte) == Self.letters.utf8.contains(byte))
            #expect(NameBytes.isMachine(byte) == machine.contains(byte))
            #expect(NameBytes.isInstance(byte) == instance.contains(byte))
        }
    }
}
