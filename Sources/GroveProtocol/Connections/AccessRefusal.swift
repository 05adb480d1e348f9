import GroveEngine
import GroveWire

/// A request that was refused because of who asked, for the log. It names neither an instance nor
/// anything that the client has sent.
package struct AccessRefusal: Sendable, Equatable {
    package let connection: ConnectionID
    /// The number of the principal that asked.
    package let principal: UInt32
    /// The client's address, as in the audit.
    package let address: String
    /// What it asked for; `send` for an item of a `batch`.
    package let op: Op?
    /// The verb that it lacks; `nil` where the address is one to read only.
    package let verb: String?
}
