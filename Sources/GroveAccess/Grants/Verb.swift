/// What a grant allows. ``Requirement`` has the ops of each verb.
package enum Verb: String, CaseIterable, Hashable, Sendable {
    /// Sends events and creates instances.
    case send
    /// Reads instances, machines and their history.
    case read
    /// Follows records.
    case subscribe
    /// Stops, deletes, suspends, repairs and imports instances.
    case manage
    /// Changes machines that are data.
    case define
    /// Changes accounts, makes backups, reads numbers of the whole server.
    case admin
}
