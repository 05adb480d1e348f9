/// The state of one subscription: the items that wait for the consumer, the credit the server
/// holds, and the position to resume from. A value, without I/O or waiting.
///
/// The position moves when an item is enqueued, not when it is dequeued: the buffer survives a
/// lost connection, so the server has to send only what follows.
struct SubscriptionBuffer: Sendable {
    /// The next item or an error; `nil` is the end.
    typealias Outcome = Result<SubscriptionItem?, ClientError>

    /// The parts of the next subscribe request that depend on earlier connections.
    struct Position: Equatable {
        var start: SubscriptionRequest.Start
        var wantsSnapshot: Bool
        var credit: Int
    }

    private struct Entry {
        var item: SubscriptionItem
        /// The value of ``SubscriptionBuffer/cursor`` once the item is dequeued.
        var cursor: String?
    }

    private var entries: [Entry] = []
    private var head = 0
    private var end: Outcome?
    private var position: SubscriptionRequest.Start
    private var isSnapshotOpen: Bool
    private let window: Int
    private var bufferedRecords = 0
    private var outstandingCredit = 0
    /// The connection that credit belongs to; 0 while there is none.
    private var link = 0

    /// The cursor of the last dequeued item that had one.
    private(set) var cursor: String?

    /// A subscription that hasn't started; `window` below 1 counts as 1.
    init(start: SubscriptionRequest.Start, wantsSnapshot: Bool, window: Int) {
        position = start
        isSnapshotOpen = wantsSnapshot
        self.window = max(1, window)
    }

    /// Starts the subscription, or restarts it, on connection `link`. Buffered records keep their
    /// room, but one more is always allowed, so that the subscription can't starve.
    mutating func start(link: Int) -> Position {
        self.link = link
        outstandingCredit = max(1, window - bufferedRecords)
        return Position(start: position, wantsSnapshot: isSnapshotOpen, credit: outstandingCredit)
    }

    /// Records that the server has accepted the subscription. If it began with "now", that moment
    /// was `cursor`.
    mutating func accept(at cursor: String?) {
        guard position == .now, !isSnapshotOpen, let cursor else { return }
        position = .after(cursor)
    }

    /// Interrupts the subscription, because the connection is lost. An incomplete snapshot will be
    /// sent again from its beginning, so the buffer discards its part of it.
    mutating func interrupt(_ error: ClientError) {
        link = 0
        outstandingCredit = 0
        if isSnapshotOpen {
            entries.removeAll()
            head = 0
            bufferedRecords = 0
        }
        if case .resumed = last { entries.removeLast() }
        if case .interrupted = last { entries.removeLast() }
        append(.interrupted(error), cursor: nil)
    }

    /// Resumes the subscription, because the server has accepted it again.
    mutating func resume() { append(.resumed(isAnew: isSnapshotOpen), cursor: nil) }

    /// Enqueues a record.
    mutating func receive(_ record: Record) {
        if let cursor = record.cursor { position = .after(cursor) }
        outstandingCredit -= 1
        bufferedRecords += 1
        append(.record(record), cursor: record.cursor)
    }

    /// Enqueues a mark. Of several checkpoints in a row only the newest is kept.
    mutating func receive(_ mark: SubscriptionMark, cursor: String?) {
        if mark == .snapshot { isSnapshotOpen = false }
        if let cursor, !isSnapshotOpen { position = .after(cursor) }
        if mark == .checkpoint, case .mark(.checkpoint) = last { entries.removeLast() }
        append(.mark(mark), cursor: isSnapshotOpen ? nil : cursor)
    }

    /// Ends the subscription after the buffered items; `nil` ends it without an error.
    mutating func finish(_ error: ClientError?) {
        guard end == nil else { return }
        link = 0
        end = error.map { .failure($0) } ?? .success(nil)
    }

    /// The credit that is due to the server; 0 while it is less than half of the window, because
    /// then it isn't worth a request.
    var grant: Int {
        guard link != 0 else { return 0 }
        let room = window - bufferedRecords - outstandingCredit
        return room >= max(1, window / 2) ? room : 0
    }

    /// Gives ``grant`` to the server on connection `link`; 0 when the credit belongs to another
    /// connection.
    mutating func issueGrant(link: Int) -> Int {
        guard self.link == link else { return 0 }
        let grant = grant
        outstandingCredit += grant
        return grant
    }

    /// Dequeues the next item or the end; `nil` when the consumer has to wait. An error is
    /// returned once, then the end.
    mutating func dequeue() -> Outcome? {
        guard head < entries.count else {
            guard let outcome = end else { return nil }
            end = .success(nil)
            return outcome
        }
        let entry = entries[head]
        head += 1
        if head == entries.count || head >= 1024 {
            entries.removeFirst(head)
            head = 0
        }
        if case .record = entry.item { bufferedRecords -= 1 }
        if let cursor = entry.cursor { self.cursor = cursor }
        return .success(entry.item)
    }

    private var last: SubscriptionItem? { head < entries.count ? entries.last?.item : nil }

    private mutating func append(_ item: SubscriptionItem, cursor: String?) {
        guard end == nil else { return }
        entries.append(Entry(item: item, cursor: cursor))
    }
}
