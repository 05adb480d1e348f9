/// A queue of a hosted machine: known by its name, with the policy of the newest effect in it.
public struct HostedQueue: Sendable, Hashable, Codable, EffectQueue {
    /// Its name: the queue as text, within its scopes.
    public var name: String
    /// How many may run.
    public var maxCount: Int
    /// Which ones run, and what becomes of the others.
    public var overflow: Overflow
    /// Milliseconds between two starts, at least.
    public var spacing: Int64
    /// The largest random addition, in milliseconds.
    public var spacingRange: Int64

    /// What happens to the one too many.
    public enum Overflow: String, Sendable, Hashable, Codable {
        /// The oldest that runs is cancelled.
        case cancelOldest = "cancel_oldest"
        /// The new one doesn't run.
        case discardNew = "discard_new"
        /// The new one waits.
        case suspendNew = "suspend_new"
    }

    /// Two queues of one name are one.
    public static func == (left: HostedQueue, right: HostedQueue) -> Bool {
        left.name == right.name
    }

    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The policy that it says.
    public var effectQueuePolicy: EffectQueuePolicy {
        switch overflow {
        case .cancelOldest: .runNewest(maxCount: maxCount)
        case .discardNew: .runOldest(maxCount: maxCount, .discardNew)
        case .suspendNew: .runOldest(maxCount: maxCount, .suspendNew)
        }
    }

    /// The spacing that it says.
    public var effectQueueDelay: EffectQueueDelay {
        spacingRange == 0
            ? .constant(.milliseconds(spacing))
            : .random(.milliseconds(spacing) ... .milliseconds(spacing + spacingRange))
    }

    /// As many as JSON can say exactly, which is as good as without a bound.
    private static func storable(_ count: Int) -> Int {
        min(count, Int(HostedRun.integerMax))
    }

    init(_ key: QueueKey) {
        let queue = key.queue
        name = (key.scopes.map(\.description) + ["\(type(of: queue)).\(queue)"])
            .joined(separator: "/")
        switch queue.effectQueuePolicy {
        case .runNewest(let count):
            (maxCount, overflow) = (Self.storable(count), .cancelOldest)
        case .runOldest(let count, .discardNew):
            (maxCount, overflow) = (Self.storable(count), .discardNew)
        case .runOldest(let count, .suspendNew):
            (maxCount, overflow) = (Self.storable(count), .suspendNew)
        }
        switch queue.effectQueueDelay {
        case .constant(let delay):
            (spacing, spacingRange) = (HostedRun.storable(delay.milliseconds), 0)
        case .random(let range):
            spacing = HostedRun.storable(range.lowerBound.milliseconds)
            spacingRange = HostedRun.storable(range.upperBound.milliseconds) - spacing
        }
    }
}
