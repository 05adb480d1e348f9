import GroveAccess

/// Some entries of the audit, in order.
public struct AuditPage: Sendable {
    package private(set) var entries: [AuditEntry] = []
    private var room = Limits.accountsPageBytesMax

    /// A page without entries.
    package init() {}

    /// Whether another entry may be added. A page has at least one, however large it is.
    package var hasRoom: Bool { room > 0 }

    /// Adds an entry of a store.
    package mutating func add(_ entry: AuditEntry) {
        entries.append(entry)
        room -= entry.changes.reduce(250) { $0 + $1.utf8.count + 4 }
    }
}
