/// Lets one task wait until ``wake()`` is called, or the task is canceled. A call before the wait
/// ends it at once.
///
/// It uses a stream, not a continuation: if a continuation is resumed before its task sleeps, the
/// thread sanitizer misses the order of the two and reports a race.
final class WakeUp: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Ends the wait; may be called on any thread, several times.
    func wake() { continuation.finish() }

    /// Waits. To be called once.
    nonisolated(nonsending) func wait() async {
        for await _ in stream {}
    }
}
