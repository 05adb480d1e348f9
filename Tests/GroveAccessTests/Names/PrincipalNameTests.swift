import GroveAccess
import Testing

@Suite("PrincipalName")
struct PrincipalNameTests {
    @Test(arguments: ["a", "shop", "shop-2", "z9--", String(repeating: "a", count: 64)])
    func `names that fit the grammar`(text: String) throws {
        #expect(try PrincipalName(text).description == text)
    }

    private func reason(_ text: String) -> PrincipalNameError.Reason? {
        do throws(PrincipalNameError) {
            _ = try PrincipalName(text)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(
        arguments: [
            ("", .empty), ("1a", .badStart), ("-a", .badStart), ("A", .badStart), ("é", .badStart),
            ("*", .badStart), ("aB", .badByte(offset: 1)), ("a_b", .badByte(offset: 1)),
            ("ab ", .badByte(offset: 2)), ("a*", .badByte(offset: 1)), ("a\0", .badByte(offset: 1)),
            ("abé", .badByte(offset: 2)), (String(repeating: "a", count: 65), .tooLong),
            ("anonymous", .reserved), ("owner", .reserved),
        ] as [(String, PrincipalNameError.Reason)])
    func `other texts are refused with the reason`(
        text: String, expected: PrincipalNameError.Reason
    ) {
        #expect(reason(text) == expected)
    }

    @Test func `errors say what to write`() {
        func message(_ text: String) -> String {
            do { return try PrincipalName(text).text } catch { return "\(error)" }
        }
        #expect(message("") == "a principal's name has at least one letter, such as shop")
        #expect(message("9") == "a principal's name begins with a small letter, such as shop")
        #expect(message("aX") == "a principal's name has small letters, digits and '-' (byte 1)")
        #expect(message("owner") == "'owner' is a name of the server's own: take another one")
        #expect(
            message(String(repeating: "a", count: 65)) == "a principal's name has at most 64 bytes")
    }

    @Test func `the two names of the server's own exist all the same`() {
        #expect(PrincipalName.anonymous.text == "anonymous")
        #expect(PrincipalName.owner.text == "owner")
        #expect(PrincipalName.anonymous < PrincipalName.owner)
    }
}
