import GroveNetwork

/// A host and the address of it that was checked: the only one that a request may go to.
struct PinnedPlace: Hashable, Sendable {
    let host: String
    let address: IPAddress
}
