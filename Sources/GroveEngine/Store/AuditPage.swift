import GroveAccess

/// Some entries of the audit, in order.
public struct AuditPage: Sendable {
    package var entries: [AuditEntry]

    /// The entries of a store.
    package init(_ entries: [AuditEntry]) { self.entries = entries }
}
