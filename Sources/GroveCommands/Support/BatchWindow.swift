import GroveClient

/// The requests of a batch that are under way: several at a time, and never two with an instance in
/// common. So when one is lost or refused and sent again, no later event of the same instance was
/// applied before it; and after one that is lost for good, none was sent (docs/decisions/0032).
struct BatchWindow {
    private var underWay: [(chunk: BatchChunk, reply: PendingReply)] = []
    private var busy: Set<String> = []

    /// Whether a chunk may be sent now.
    func hasRoom(for chunk: BatchChunk) -> Bool {
        underWay.count < Self.requestsMax && busy.isDisjoint(with: chunk.instances)
    }

    /// Adds a chunk that was sent.
    mutating func add(_ chunk: BatchChunk, _ reply: PendingReply) {
        underWay.append((chunk, reply))
        busy.formUnion(chunk.instances)
    }

    /// Waits for the oldest chunk and removes it; `nil` when none is under way.
    mutating func next() async -> (chunk: BatchChunk, outcome: Result<BatchReply, ClientError>)? {
        guard let (chunk, reply) = underWay.first else { return nil }
        let outcome = await reply.outcome { reply throws(ClientError) in try BatchReply(reply) }
        underWay.removeFirst()
        busy.subtract(chunk.instances)
        return (chunk, outcome)
    }
}

extension PendingReply {
    /// Waits for the reply and reads it.
    func outcome<Value>(
        _ read: (Reply) throws(ClientError) -> Value
    ) async -> Result<Value, ClientError> {
        do throws(ClientError) {
            return .success(try read(try await value))
        } catch {
            return .failure(error)
        }
    }
}
