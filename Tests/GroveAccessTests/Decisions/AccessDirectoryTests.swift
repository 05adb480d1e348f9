import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("AccessDirectory")
struct AccessDirectoryTests {
    private static func accounts(_ grants: [String]) throws -> AccountsTable {
        var account = Account(try PrincipalName("shop"))
        for text in grants { account.insert(try Grant(text)) }
        account.insert(try Identity("uid:7"))
        return AccountsTable([.principal(StoredPrincipal(number: 2, account: account))])
    }

    private func reads(_ directory: inout AccessDirectory, _ number: UInt32) -> Bool? {
        switch directory.subject(of: number) {
        case .nobody: return nil
        case .everything: return true
        case .principal(let table): return table.verbs.contains(.read)
        }
    }

    @Test func `without accounts everybody may do everything`() {
        var directory = AccessDirectory()
        #expect(reads(&directory, StoredPrincipal.anonymousNumber) == true)
    }

    @Test func `with accounts it takes a grant, and the owner needs none`() throws {
        var directory = AccessDirectory(try Self.accounts(["read order/*"]))
        #expect(reads(&directory, StoredPrincipal.anonymousNumber) == nil)
        #expect(reads(&directory, StoredPrincipal.ownerNumber) == true)
        #expect(reads(&directory, 2) == true)
        #expect(reads(&directory, 3) == nil)
        directory.change(try Self.accounts(["send order/*"]))
        #expect(reads(&directory, 2) == false)
    }

    @Test func `a caller is recognized while it has what it showed`() throws {
        let accounts = try Self.accounts([])
        let shown = Caller(2, by: Caller.Credential(try Identity("uid:7")))
        #expect(accounts.recognizes(shown))
        #expect(!accounts.recognizes(Caller(2, by: Caller.Credential(try Identity("uid:8")))))
        #expect(!accounts.recognizes(Caller(3, by: shown.credential)))
        #expect(accounts.recognizes(Caller()) && accounts.recognizes(.owner))
    }
}
