import GroveEngine

/// A client that was refused before it said who it is, for the log.
package struct Stranger: Sendable, Equatable {
    package let connection: ConnectionID
    /// The client's address, as in the audit.
    package let address: String
}
