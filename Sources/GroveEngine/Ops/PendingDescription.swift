/// The answer to a `describe` that was released without being made
/// (``Ready/takeDescriptions()``).
public struct PendingDescription: Sendable {
    /// The connection that asked.
    public let connection: ConnectionID
    let token: UInt32
    let describing: Reply.Describing

    /// Makes the answer, on any thread.
    ///
    /// - Parameter write: Writes its members as they are sent.
    public func made(writing write: (Reply.Described) -> [UInt8]) -> Ready {
        ready(.written(write(describing.described)))
    }

    /// An answer for a closed connection, because every request is counted until its reply.
    public var abandoned: Ready { ready(.failure(.timeout(isRepeatable: true))) }

    private func ready(_ reply: Reply) -> Ready {
        var ready = Ready()
        ready.replies = [Ready.ReplyTo(connection: connection, token: token, reply: reply)]
        return ready
    }
}

extension Ready {
    /// Takes out the answers to `describe` that are still to be made. A driver that doesn't care
    /// for the time leaves them: they can be sent as they are.
    public mutating func takeDescriptions() -> [PendingDescription] {
        guard hasDescriptions else { return [] }
        var taken: [PendingDescription] = []
        replies.removeAll { to in
            guard case .describing(let describing) = to.reply else { return false }
            taken.append(
                PendingDescription(
                    connection: to.connection, token: to.token, describing: describing))
            return true
        }
        return taken
    }
}
