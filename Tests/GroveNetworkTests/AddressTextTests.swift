import Testing

@testable import GroveNetwork

@Suite("AddressText")
struct AddressTextTests {
    @Test(
        arguments: [
            ("a:1", .host("a", isBracketed: false, port: 1)),
            ("a", .host("a", isBracketed: false, port: nil)),
            (":99", .host("", isBracketed: false, port: 99)),
            ("", .host("", isBracketed: false, port: nil)),
            ("[::1]:65535", .host("::1", isBracketed: true, port: 65_535)),
            ("[::1]", .host("::1", isBracketed: true, port: nil)),
            ("unix:/a:7400", .unix(path: "/a:7400")), ("unix:", .unix(path: "")),
        ] as [(String, AddressText)])
    func `an address is split into its parts`(text: String, expected: AddressText) {
        #expect(AddressText(text) == expected)
    }

    @Test(arguments: [
        "a:", "a:65536", "a:-1", "a:+1", "a:x", "a: 1", "::1", "::1:7400", "[::1:7400", "[::1]x:1",
    ])
    func `other ports are refused`(text: String) {
        #expect(AddressText(text) == nil)
    }
}
