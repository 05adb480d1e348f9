/// Lets one task wait until somebody rings, or the task is cancelled. Who rings before keeps it
/// from waiting.
///
/// Made of a stream, not of a continuation: the thread sanitizer doesn't see that who is resumed
/// by a continuation before he has gone to sleep goes on after it, and reports a race.
final class WakeUp: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Ends the wait; may be called on any thread, again and again.
    func ring() { continuation.finish() }

    /// Waits. To be called once.
    nonisolated(nonsending) func wait() async {
        for await _ in stream {}
    }
}
