/// A request that the owner of the sockets answers, and not the engine.
package struct ServerRequest: Sendable {
    /// What is asked for.
    package enum Kind: Sendable {
        /// `reload`.
        case reload
        /// `stats` while the engine doesn't answer: the numbers that are known without it.
        case stats
    }

    package let kind: Kind
    /// Where its reply goes.
    package let token: UInt32
}
