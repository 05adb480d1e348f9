/// What is sent to subscribers: one record or mark, and who gets it. A record is written as JSON
/// once, however many receive it.
public struct Publication: Sendable {
    /// Who gets it: a subscription of a connection.
    public struct Recipient: Sendable {
        /// The connection.
        public var connection: ConnectionID
        /// The client's name for the subscription.
        public var subscription: SubscriptionName
        /// What the host said about the subscription (``Subscribe/tag``).
        public var tag: UInt8

        /// Puts the three together.
        public init(
            connection: ConnectionID, subscription: SubscriptionName, tag: UInt8 = 0
        ) {
            self.connection = connection
            self.subscription = subscription
            self.tag = tag
        }

        init(_ subscription: borrowing Subscription) {
            connection = subscription.connection
            self.subscription = subscription.name
            tag = subscription.tag
        }
    }

    /// What it says.
    public var content: Content
    /// Who gets it.
    public var recipients: [Recipient]
    /// What it counts for in the window of each recipient's connection, in bytes, estimated
    /// (``Engine/drained(_:through:)``).
    public var weight: Int

    /// What can be said to a subscriber.
    public enum Content: Sendable {
        /// Record `index` of a journal step; `before` is the state before it for kind `state`
        /// and `trace`; `nil` at a creation, and when it can't be told any more.
        case record(JournalRecord, kind: RecordKind, index: Int32, before: [UInt8]?)
        /// The present state of an instance, part of a snapshot.
        case snapshot(
            InstanceName, version: Int64, state: [UInt8], isDone: Bool, updated: Timestamp)
        /// The snapshot is complete; everything after the cursor follows.
        case snapshotMark(Cursor)
        /// Caught up with what happens.
        case liveMark(Cursor)
        /// Nothing selected up to here.
        case checkpointMark(Cursor)
        /// Records were removed before they could be sent.
        case gapMark(Gap)
    }

    /// What a subscription has missed: everything behind one cursor and up to another one.
    public struct Gap: Sendable, Equatable {
        /// The last place up to which it has everything.
        public var from: Cursor
        /// Where it goes on.
        public var to: Cursor
    }

    /// Which record of a step.
    public enum RecordKind: Sendable, Equatable {
        /// Output number `n` of the step.
        case output(Int)
        /// The change of state.
        case state
        /// What happened to effects, number `n` of the step.
        case effect(Int)
        /// Created, done, stopped or deleted; suspended, set aside or resumed.
        case lifecycle(Lifecycle)
        /// The whole step.
        case trace
    }

    /// The turns in an instance's life.
    public enum Lifecycle: String, Sendable {
        case created, done, stopped, deleted, suspended, resumed
        case setAside = "set_aside"
    }
}
