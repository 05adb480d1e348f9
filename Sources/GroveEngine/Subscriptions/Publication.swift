/// One record or mark with its recipients. A record is encoded as JSON once for all of them.
public struct Publication: Sendable {
    /// A subscription of a connection.
    public struct Recipient: Sendable {
        public var connection: ConnectionID
        public var subscription: SubscriptionName
        /// The host's value for the subscription (``Subscribe/tag``).
        public var tag: UInt8
        /// Whether its records say who sent the events.
        public var showsSenders: Bool

        public init(
            connection: ConnectionID, subscription: SubscriptionName, tag: UInt8 = 0,
            showsSenders: Bool = false
        ) {
            self.showsSenders = showsSenders
            self.connection = connection
            self.subscription = subscription
            self.tag = tag
        }

        init(_ subscription: borrowing Subscription) {
            connection = subscription.connection
            self.subscription = subscription.name
            tag = subscription.tag
            showsSenders = subscription.showsSenders
        }
    }

    public var content: Content
    public var recipients: [Recipient]
    /// Its estimated bytes in the window of each recipient's connection
    /// (``Engine/drained(_:through:)``).
    public var weight: Int

    /// A record or a mark.
    public enum Content: Sendable {
        /// Record `index` of a journal step.
        case record(PublishedStep, kind: RecordKind, index: Int32)
        /// The present state of an instance, part of a snapshot.
        case snapshot(
            InstanceName, version: Int64, state: [UInt8], isDone: Bool, updated: Timestamp)
        /// The snapshot is complete; later records follow.
        case snapshotMark(Cursor)
        /// All earlier records were sent.
        case liveMark(Cursor)
        /// No selected record up to here.
        case checkpointMark(Cursor)
        /// Records were removed before they could be sent.
        case gapMark(Gap)
    }

    /// The records missed after one cursor and up to another.
    public struct Gap: Sendable, Equatable {
        /// The last cursor before the gap.
        public var from: Cursor
        /// The cursor at which the stream continues.
        public var to: Cursor
    }

    /// One record of a step.
    public enum RecordKind: Sendable, Equatable {
        /// Output number `n` of the step.
        case output(Int)
        case state
        /// Effect record number `n` of the step.
        case effect(Int)
        /// Created, done, stopped or deleted; suspended, set aside or resumed.
        case lifecycle(Lifecycle)
        case trace
    }

    /// The changes of an instance's lifecycle.
    public enum Lifecycle: String, CaseIterable, Sendable {
        case created, done, stopped, deleted, suspended, resumed
        case setAside = "set_aside"
    }
}
