import GroveAccess
import GroveEngine

extension StoreCheck {
    /// Checks the rows of accounts and the chain of the audit. A file of an older schema, which is
    /// inspected, has none.
    mutating func accounts(_ store: SQLiteStore) throws(StoreError) {
        do throws(SQLiteFailure) {
            guard try store.connection.integer("PRAGMA user_version") >= 7 else { return }
        } catch { throw error.storeError }
        let numbers = try principals(store)
        try tokens(numbers, store)
        try audit(store)
    }

    /// Returns the numbers of the principals that aren't revoked.
    private mutating func principals(_ store: SQLiteStore) throws(StoreError) -> Set<UInt32> {
        var problems: [StoreError] = []
        var numbers: Set<UInt32> = []
        var names: [PrincipalName: UInt32] = [:]
        var owners: [Identity: UInt32] = [:]
        try PrincipalTable.forEach(store.connection) { row in
            switch row {
            case .failure(let error): problems.append(error)
            case .success(let principal) where principal.isRevoked: break
            case .success(let principal):
                let number = principal.number
                numbers.insert(number)
                if let other = names.updateValue(number, forKey: principal.name) {
                    problems.append(.corrupt("principals \(other) and \(number) have one name"))
                }
                for identity in principal.account.identities {
                    guard let other = owners.updateValue(number, forKey: identity) else { continue }
                    problems.append(
                        .corrupt("principals \(other) and \(number) have an identity in common"))
                }
            }
        }
        for problem in problems { try add(problem) }
        return numbers
    }

    private mutating func tokens(
        _ numbers: Set<UInt32>, _ store: SQLiteStore
    ) throws(StoreError) {
        var problems: [StoreError] = []
        try TokenTable.forEach(store.connection) { row in
            switch row {
            case .failure(let error): problems.append(error)
            case .success(let token):
                if !numbers.contains(token.principal) {
                    problems.append(.corrupt("token \(token.id) is of no principal"))
                }
            }
        }
        for problem in problems { try add(problem) }
    }

    /// The first entry that is kept is the anchor: what it follows is gone.
    private mutating func audit(_ store: SQLiteStore) throws(StoreError) {
        var problems: [StoreError] = []
        var before: AuditEntry?
        var isFirst = true
        try AuditTable.forEach(store.connection) { row in
            defer { isFirst = false }
            switch row {
            case .failure(let error):
                problems.append(error)
                before = nil
            case .success(let entry):
                defer { before = entry }
                if isFirst, entry.number == 1, !entry.isLinked(to: AuditEntry.noHash) {
                    problems.append(.corrupt("entry 1 of the audit is not the first one"))
                }
                guard let before else { return }
                if entry.number != before.number + 1 {
                    problems.append(
                        .corrupt("entry \(before.number + 1) of the audit is missing"))
                } else if !entry.isLinked(to: before.hash) {
                    problems.append(
                        .corrupt(
                            "entry \(entry.number) of the audit does not follow the one before"))
                }
            }
        }
        if isFirst, !store.state.accounts.rows.isEmpty {
            problems.append(.corrupt("the audit is empty, although there are accounts"))
        }
        if before?.hash != store.state.accounts.audit?.hash, problems.isEmpty {
            problems.append(.corrupt("the audit has another end than when the file was opened"))
        }
        for problem in problems { try add(problem) }
    }
}
