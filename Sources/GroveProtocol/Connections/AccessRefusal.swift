import GroveEngine
import GroveWire

/// A request that was refused because of who asked, for the log. It names neither an instance nor
/// anything that the client has sent.
package struct AccessRefusal: Sendable, Equatable {
    /// Why it was refused.
    package enum Reason: Sendable, Equatable {
        /// The client lacks this verb.
        case noGrant(verb: String)
        /// At its address nobody may write.
        case addressOnlyReads
    }

    package let connection: ConnectionID
    /// The number of the principal that asked.
    package let principal: UInt32
    /// The client's address, as in the audit.
    package let address: String
    /// What it asked for; `send` for an item of a `batch`; `nil` where that isn't known.
    package let op: Op?
    package let reason: Reason
}
