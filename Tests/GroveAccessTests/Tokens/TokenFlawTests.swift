import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("TokenFlaw")
struct TokenFlawTests {
    private let first = "grove_7gnu3cjq_PWdkry5CJQXelsz6DKRYfmt076DKRYfmt07ELSZgnu12daWCr"
    private let second = "grove_6fmt2bip_u18FMTahov29GNUbipw329GNUbipw3AHOVcjqx4BIPW3bfVoM"

    private func digested(_ text: String) throws -> DigestedToken {
        let digested = withBytes(text) { bytes -> DigestedToken? in
            guard let token = BearerToken(bytes) else { return nil }
            return DigestedToken(token)
        }
        return try #require(digested)
    }

    /// What a table says of a token at a time.
    private func said(_ table: AccountsTable, _ claim: DigestedToken, _ time: Int64) -> [String] {
        let (flaw, principal) = table.flaw(of: claim, at: time)
        return ["\(flaw)", principal.map { "\($0)" } ?? "none"]
    }

    @Test func `a token is unknown, has another secret, or has ended`() throws {
        let (known, stranger) = (try digested(first), try digested(second))
        var table = AccountsTable()
        var wish = TokenWish(try PrincipalName("shop"))
        wish.grants = [try Grant("admin */*")]
        wish.end = .at(5_000)
        _ = try table.carryOut(.createToken(wish, known), as: .offline, at: 0)
        let number = try #require(table[PrincipalName("shop")]?.number)
        #expect(said(table, stranger, 1) == ["unknown", "none"])
        #expect(said(table, known, 5_000) == ["ended", "\(number)"])
        // The same public part with another secret.
        var other = AccountsTable()
        for row in table.rows {
            guard case .token(let token) = row else {
                other.apply(row)
                continue
            }
            other.apply(
                .token(StoredToken(token.id, stranger.digest, of: number, made: 0, expires: 9)))
        }
        #expect(said(other, known, 1) == ["wrongSecret", "\(number)"])
        #expect(said(other, known, 10) == ["wrongSecret", "\(number)"])
        // One that was revoked isn't kept.
        table.apply(.tokenRevoked(known.id))
        #expect(said(table, known, 1) == ["unknown", "none"])
    }
}
