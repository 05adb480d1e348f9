import GroveAccess

/// All subscriptions, and the unsent bytes of their records per connection.
///
/// Three things keep the cost of a step independent of the number of subscriptions: an index by
/// instance, one shared position of all live ones, and a list of those with work to do.
struct SubscriptionTable {
    struct Key: Hashable {
        var connection: ConnectionID
        var name: SubscriptionName
    }

    /// The window of one connection, in bytes: sent to its buffer, and gone from it.
    final class Window {
        var posted = 0
        var drained = 0
        var names: [SubscriptionName] = []

        var outstanding: Int { posted - drained }
    }

    private var byKey: [Key: Subscription] = [:]
    private var windows: [ConnectionID: Window] = [:]
    private var index = SubscriptionIndex()
    private var lastID = 0
    /// The unsent bytes of a connection at which its subscriptions pause.
    private var windowBytes: Int
    private var total = SharedWindow()

    /// Subscriptions that aren't live and can continue, in the order of their turns; some may have
    /// ended.
    private var advancing = WaitingQueue<Subscription>()

    /// The position of all live subscriptions: the head of the committed journal.
    var published = Cursor(sequence: 0)
    /// The number of records of all steps committed since the first subscription.
    var publishedRecords = 0
    /// The cost of comparing a step with one selection, as of the last commit with subscribers, in
    /// parts of ``Limits/publishingWorkMax``.
    var workOfOneSelection = 1
    /// The time of the last check for checkpoints, with the count of published records.
    var checkpointsAt = Timestamp(milliseconds: 0)
    var checkpointsRecords = 0
    /// Subscriptions still to check, the next one last; some may have ended.
    var checkpointsLeft: [Subscription] = []

    /// - Parameters:
    ///   - windowBytes: The bound of unsent bytes per connection.
    ///   - totalBytes: The bound for all connections.
    init(windowBytes: Int, totalBytes: Int) {
        self.windowBytes = windowBytes
        total.change(bytesMax: totalBytes)
    }

    var count: Int { byKey.count }
    var isEmpty: Bool { byKey.isEmpty }

    /// All of them, in any order.
    var all: some Collection<Subscription> { byKey.values }

    /// All of them, in the order of subscribing.
    var sorted: [Subscription] { byKey.values.sorted { $0.id < $1.id } }

    subscript(key: Key) -> Subscription? { byKey[key] }

    func count(of connection: ConnectionID) -> Int { windows[connection]?.names.count ?? 0 }

    /// The number of selections to compare with a step of an instance.
    func reach(_ name: InstanceName) -> Int { index.count(name) }

    /// The live subscriptions that select some of these records of a step, in a fixed order.
    func liveCandidates(
        _ name: InstanceName, _ parts: RecordParts, of record: JournalRecord
    ) -> [Subscription] {
        index.candidates(name) { subscription in
            subscription.isLive
                && parts.contains { subscription.selection.includes($0, of: record) }
        }
    }

    /// Makes the live subscriptions that may select a step read it from the journal, in turns.
    mutating func postpone(
        _ name: InstanceName, before record: Cursor, _ asked: inout SubscriptionIndex.Asked
    ) {
        for subscription in index.remaining(name, &asked) where subscription.isLive {
            fallBehind(subscription, before: record)
            listIfAble(subscription)
        }
    }

    mutating func add(
        _ subscribe: Subscribe, of connection: ConnectionID, by caller: Caller, position: Cursor,
        phase: Subscription.Phase, at now: Timestamp
    ) {
        lastID += 1
        let window = windows[connection] ?? Window()
        windows[connection] = window
        window.names.append(subscribe.name)
        let subscription = Subscription(
            lastID, subscribe, of: connection, by: caller, window: window, position: position,
            phase: phase, at: now)
        byKey[Key(subscription)] = subscription
        index.insert(subscription)
        listIfAble(subscription)
    }

    mutating func remove(_ key: Key) -> Bool {
        guard let subscription = byKey.removeValue(forKey: key) else { return false }
        subscription.isRemoved = true
        index.remove(subscription)
        subscription.window.names.removeAll { $0 == key.name }
        return true
    }

    mutating func remove(_ connection: ConnectionID) {
        guard let window = windows.removeValue(forKey: connection) else { return }
        for name in window.names {
            byKey.removeValue(forKey: Key(connection: connection, name: name))?.isRemoved = true
        }
        index.leave(window.names.count, of: byKey.count)
        leave(window.outstanding)
    }

    // MARK: How far

    /// The cursor up to which everything was sent or isn't selected.
    func reached(_ subscription: Subscription) -> Cursor {
        subscription.isLive ? max(subscription.position, published) : subscription.position
    }

    /// Records skipped since the client's last cursor.
    func passedOver(_ subscription: Subscription) -> Int {
        subscription.isLive
            ? subscription.passedOver + publishedRecords - subscription.publishedBefore
            : subscription.passedOver
    }

    /// Records the cursor that was sent to the client.
    func recordAnnounced(_ subscription: Subscription, _ cursor: Cursor, at now: Timestamp) {
        subscription.announced = cursor
        subscription.announcedAt = now
        subscription.passedOver = 0
        subscription.publishedBefore = publishedRecords
    }

    /// Makes a subscription live after it has read the whole journal.
    func goLive(_ subscription: Subscription) {
        subscription.phase = .live
        subscription.publishedBefore = publishedRecords
    }

    /// Ends being live, right before a record that can't be sent now.
    func fallBehind(_ subscription: Subscription, before record: Cursor) {
        subscription.passedOver = passedOver(subscription)
        subscription.phase = .catchingUp
        subscription.position =
            record.index > 0
            ? Cursor(sequence: record.sequence, index: record.index - 1)
            : Cursor(sequence: record.sequence - 1)
    }

    // MARK: Advancing

    private func canAdvance(_ subscription: Subscription) -> Bool {
        !subscription.isRemoved && !subscription.isLive && !subscription.waitsForCredit
            && isOpen(subscription.window)
    }

    /// Appends a subscription to the list of those with work, if it has some and can do it.
    mutating func listIfAble(_ subscription: Subscription) {
        guard !subscription.isAdvancing, canAdvance(subscription) else { return }
        subscription.isAdvancing = true
        advancing.append(subscription)
    }

    var advancingCount: Int { advancing.count }

    /// Dequeues the next subscription with work. ``listIfAble(_:)`` enqueues it again.
    mutating func nextTurn() -> Subscription? {
        while advancing.count > 0 {
            if let subscription = dequeue() { return subscription }
        }
        return nil
    }

    /// Dequeues the subscriptions with work that follow in the list, as long as they read the
    /// journal after the same position; `count` at most.
    mutating func nextTurns(at position: Cursor, count: Int) -> [Subscription] {
        var group: [Subscription] = []
        while group.count < count, let next = advancing.peek,
            next.isRemoved || (next.phase == .catchingUp && next.position == position)
        {
            if let next = dequeue() { group.append(next) }
        }
        return group
    }

    /// Dequeues the first subscription of the list; `nil` if it has no work any more.
    private mutating func dequeue() -> Subscription? {
        guard let subscription = advancing.next() else { return nil }
        subscription.isAdvancing = false
        return canAdvance(subscription) ? subscription : nil
    }

    // MARK: Windows

    mutating func post(_ weight: Int, to window: Window) {
        window.posted += weight
        total.add(weight)
    }

    /// Records the weights that have left a connection's buffer.
    mutating func drain(_ connection: ConnectionID, through weight: Int) {
        guard let window = windows[connection], weight <= window.posted else { return }
        let wasOpen = isOpen(window)
        let sent = max(0, weight - window.drained)
        window.drained += sent
        leave(sent)
        guard !wasOpen, isOpen(window) else { return }
        for name in window.names {
            if let one = byKey[Key(connection: connection, name: name)] { listIfAble(one) }
        }
    }

    mutating func setWindow(_ bytes: Int) {
        windowBytes = bytes
        for subscription in sorted { listIfAble(subscription) }
    }

    mutating func setTotalWindow(_ bytes: Int) {
        total.change(bytesMax: bytes)
        for subscription in sorted { listIfAble(subscription) }
    }

    func isOpen(_ window: Window) -> Bool {
        window.outstanding < windowBytes && total.isOpen(outstanding: window.outstanding)
    }

    /// Records bytes that were sent, or lost with their connection.
    private mutating func leave(_ bytes: Int) {
        if total.remove(bytes) { for subscription in sorted { listIfAble(subscription) } }
    }

    /// Moves no subscription past the head, after a batch was given up.
    mutating func clip(to head: JournalPosition) {
        let end = Cursor(sequence: head)
        for subscription in byKey.values where subscription.position > end {
            subscription.position = end
            subscription.announced = min(subscription.announced, end)
            if case .snapshot(let moment, let after) = subscription.phase, moment > head {
                subscription.phase = .snapshot(moment: head, after: after)
            }
        }
    }
}

extension SubscriptionTable.Key {
    init(_ subscription: Subscription) {
        self.init(connection: subscription.connection, name: subscription.name)
    }
}
