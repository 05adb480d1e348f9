import GroveEngine
import Testing

@Suite("Hold")
struct HoldTests {
    static let holds = [
        Hold(kind: .suspended, since: Timestamp(milliseconds: 0)),
        Hold(
            kind: .setAside, since: Timestamp(milliseconds: 1_700_000_000_000), reason: "äöü",
            definitionVersion: "1.2.3"),
        Hold(kind: .suspended, since: Timestamp(milliseconds: 5), reason: ""),
    ]

    private func bytes(_ hold: Hold) -> [UInt8] {
        var bytes: [UInt8] = []
        hold.encode(into: &bytes)
        return bytes
    }

    @Test(arguments: holds)
    func `a hold is read as it was written, and other bytes are refused`(hold: Hold) throws {
        let bytes = bytes(hold)
        #expect(try bytes.withUnsafeBytes { try Hold(decoding: $0) } == hold)
        for cut in 0..<bytes.count {
            #expect(throws: StoreError.self) {
                try bytes[..<cut].withUnsafeBytes { try Hold(decoding: $0) }
            }
        }
        #expect(throws: StoreError.self) {
            try (bytes + [0]).withUnsafeBytes { try Hold(decoding: $0) }
        }
        #expect(throws: StoreError.self) {
            try ([9] + bytes.dropFirst()).withUnsafeBytes { try Hold(decoding: $0) }
        }
    }

    @Test func `the words of a hold are those of the wire`() {
        #expect(Hold.Kind.words == ["suspended", "set_aside"])
        for word in Hold.Kind.words { #expect(Hold.Kind(word: word)?.word == word) }
        #expect(Hold.Kind(word: "set aside") == nil)
    }

    @Test func `a subject is an instance or a machine`() throws {
        #expect(HoldSubject(text: "order") == .machine("order"))
        let name = try #require(InstanceName("order/o-1"))
        #expect(HoldSubject(text: "order/o-1") == .instance(name))
        for text in ["", "order/", "/o", "order/*", "7", "a b"] {
            #expect(HoldSubject(text: text) == nil, "\(text)")
        }
    }
}
