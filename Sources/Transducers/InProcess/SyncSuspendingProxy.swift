/// A proxy whose senders wait until their event has been processed: applied, with all its immediate
/// events, and its outputs delivered. So no sender is faster than the machine.
public struct SyncSuspendingProxy<Event: Sendable>: TransducerProxy {
    /// The machine's inbox.
    public let channel: EventChannel<Event>

    /// A proxy for one run.
    public init() { channel = EventChannel(capacity: .max, sendersWait: true) }

    /// Sends an event and waits until it has been processed, as ``Input/send(_:)``.
    @discardableResult
    public func send(_ event: Event) async -> SendVerdict {
        await input.send(event)
    }

    /// Sends events one after the other; makes each after the one before has been processed.
    public func send(events: (() -> Event)...) async {
        for event in events { await send(event()) }
    }

    /// An input that sends to `sink`.
    public static func makeInput(_ sink: any EventSink<Event>) -> Input { Input(sink: sink) }

    /// A handle that can send, but can't end the machine.
    public struct Input: Sendable {
        let sink: any EventSink<Event>

        /// Sends an event and waits until it has been processed. Cancellation of the task doesn't
        /// end the wait: while no machine runs by the proxy, only its
        /// ``TransducerProxy/cancel(with:)`` does.
        ///
        /// - Returns: The verdict. A sender that the machine itself awaits, such as an output
        ///   callback or an action, gets ``SendVerdict/queued`` at once; so does a callback of
        ///   another machine, if this machine waits for that one.
        @discardableResult
        public func send(_ event: Event) async -> SendVerdict {
            var verdict = SendVerdict.queued
            let hasWaited = await StepInProgress.wait(for: sink.inboxID) {
                do throws(TransducerError) {
                    verdict = try await sink.sendAndWait(event)
                } catch {
                    verdict = .notApplied(error)
                }
            }
            if hasWaited { return verdict }
            do throws(TransducerError) {
                try sink.send(event)
                return .queued
            } catch {
                return .notApplied(error)
            }
        }
    }
}
