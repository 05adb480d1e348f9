import GroveClient

/// Requests of a batch under way: several at a time, and never two that have an instance in
/// common. So whatever becomes of one, a lost connection or a refusal that the client repeats,
/// nothing of the same instance can have come before it; and of what is lost for good, nothing
/// behind it was sent (docs/decisions/0032).
struct BatchWindow {
    /// Requests that may be under way.
    static let countMax = 8

    private var underWay: [(chunk: BatchChunk, reply: PendingReply)] = []
    private var busy: Set<String> = []

    /// How many are under way.
    var count: Int { underWay.count }

    /// Whether a chunk may be sent now.
    func hasRoom(for chunk: BatchChunk) -> Bool {
        underWay.count < Self.countMax && busy.isDisjoint(with: chunk.instances)
    }

    /// A chunk was sent.
    mutating func add(_ chunk: BatchChunk, _ reply: PendingReply) {
        underWay.append((chunk, reply))
        busy.formUnion(chunk.instances)
    }

    /// What became of the chunk that was sent first; `nil` when none is under way.
    mutating func next() async -> (chunk: BatchChunk, outcome: Result<BatchReply, ClientError>)? {
        guard let (chunk, reply) = underWay.first else { return nil }
        let outcome: Result<BatchReply, ClientError>
        do throws(ClientError) {
            outcome = .success(try BatchReply(try await reply.value))
        } catch {
            outcome = .failure(error)
        }
        underWay.removeFirst()
        busy.subtract(chunk.instances)
        return (chunk, outcome)
    }
}
