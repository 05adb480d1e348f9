import GroveNetwork

/// A host and its checked address, the only one that a request may go to.
struct PinnedPlace: Hashable, Sendable {
    let host: String
    let address: IPAddress
}
