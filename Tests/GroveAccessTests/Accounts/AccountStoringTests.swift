import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("stored accounts")
struct AccountStoringTests {
    @Test(arguments: 1...40)
    func `an account is read as it was written`(seed: UInt64) throws {
        var maker = AccountsMaker(seed: seed)
        for account in try maker.document().accounts {
            let bytes = account.serialized()
            let read = try Account(named: account.name, parsing: bytes)
            #expect(read == account)
            #expect(read.serialized() == bytes)
        }
    }

    @Test func `more parts than a document may have are read`() throws {
        var account = Account(try PrincipalName("shop"))
        for number in 0..<4 * Account.identitiesMax {
            account.insert(try Identity("uid:\(number + 1)"))
        }
        account.quotas[.connections] = 2 * Quota.valueMax
        #expect(try Account(named: account.name, parsing: account.serialized()) == account)
        account.insert(try Identity("uid:9999"))
        #expect(throws: AccountsProblems.self) {
            try Account(named: account.name, parsing: account.serialized())
        }
    }
}
