/// A queue of a hosted machine: its name, and the policy of the newest effect in it.
public struct HostedQueue: Sendable, Hashable, Codable, EffectQueue {
    /// The queue as text, after its scopes.
    public var name: String
    /// The number of effects that may run at once.
    public var maxCount: Int
    /// The rule for an effect beyond that number.
    public var overflow: Overflow
    /// The least time between two starts, in milliseconds.
    public var spacing: Int64
    /// The largest random addition, in milliseconds.
    public var spacingRange: Int64

    /// The rule for an effect beyond the maximum.
    public enum Overflow: String, Sendable, Hashable, Codable {
        /// The oldest running one is canceled.
        case cancelOldest = "cancel_oldest"
        /// The new one doesn't run.
        case discardNew = "discard_new"
        /// The new one waits.
        case suspendNew = "suspend_new"
    }

    /// Queues of the same name are the same.
    public static func == (left: HostedQueue, right: HostedQueue) -> Bool {
        left.name == right.name
    }

    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The policy.
    public var effectQueuePolicy: EffectQueuePolicy {
        switch overflow {
        case .cancelOldest: .runNewest(maxCount: maxCount)
        case .discardNew: .runOldest(maxCount: maxCount, .discardNew)
        case .suspendNew: .runOldest(maxCount: maxCount, .suspendNew)
        }
    }

    /// The spacing.
    public var effectQueueDelay: EffectQueueDelay {
        spacingRange == 0
            ? .constant(.milliseconds(spacing))
            : .random(.milliseconds(spacing) ... .milliseconds(spacing + spacingRange))
    }

    /// At most the greatest integer that is exact in JSON, which is as good as no bound.
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
            (spacing, spacingRange) = (HostedRun.storable(delay), 0)
        case .random(let range):
            spacing = HostedRun.storable(range.lowerBound)
            spacingRange = HostedRun.storable(range.upperBound) - spacing
        }
    }
}
