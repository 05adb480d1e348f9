/// The accounts with their compiled grants, for one queue: each queue that decides has its own.
package struct AccessDirectory {
    /// The accounts.
    package private(set) var accounts: AccountsTable
    /// The grants that somebody has asked about, by the principal's number.
    private var tables: [UInt32: GrantTable] = [:]

    /// The directory of some accounts.
    package init(_ accounts: AccountsTable = AccountsTable()) { self.accounts = accounts }

    /// Goes over to changed accounts. Grants that are the same stay compiled.
    package mutating func change(_ accounts: AccountsTable) {
        self.accounts = accounts
        tables = tables.filter { number, table in
            accounts.principals[number]?.account.grants == table.grants
        }
    }

    /// What a principal may do.
    ///
    /// - Parameter number: Its number. One that was revoked is nobody.
    package mutating func subject(of number: UInt32) -> AccessSubject {
        switch number {
        case StoredPrincipal.ownerNumber: return .everything
        case StoredPrincipal.anonymousNumber:
            if accounts.isOpen { return .everything }
            let anonymous = accounts[.anonymous].map { table(of: $0) }
            return .unnamed(isOpen: false, anonymous: anonymous)
        default:
            guard let principal = accounts.principals[number] else { return .nobody }
            return .principal(table(of: principal))
        }
    }

    private mutating func table(of principal: StoredPrincipal) -> GrantTable {
        if let table = tables[principal.number] { return table }
        let table = GrantTable(principal.name, principal.account.grants)
        tables[principal.number] = table
        return table
    }
}
