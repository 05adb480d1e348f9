/// All subscriptions, and the unsent bytes of their records per connection.
///
/// Three things keep the cost of a step independent of the number of subscriptions: an index by
/// instance, one shared position of all live ones, and a list of those with work to do.
struct SubscriptionTable {
    /// A subscription's number; never reused.
    typealias ID = Int

    struct Key: Hashable {
        var connection: ConnectionID
        var name: SubscriptionName
    }

    /// The window of one connection, in bytes: sent to its buffer, and gone from it.
    struct Window {
        var posted = 0
        var drained = 0
        var names: [SubscriptionName] = []

        var outstanding: Int { posted - drained }
    }

    private var all: [ID: Subscription] = [:]
    private var ids: [Key: ID] = [:]
    private var windows: [ConnectionID: Window] = [:]
    private var index = SubscriptionIndex()
    private var lastID = 0
    /// The unsent bytes of a connection at which its subscriptions pause.
    private var windowBytes: Int
    private var total = SharedWindow()

    /// Subscriptions that aren't live and can continue, in the order of their turns; some may have
    /// ended.
    private var advancing = WaitingQueue<ID>()

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
    var checkpointsLeft: [ID] = []

    /// - Parameters:
    ///   - windowBytes: The bound of unsent bytes per connection.
    ///   - totalBytes: The bound for all connections.
    init(windowBytes: Int, totalBytes: Int) {
        self.windowBytes = windowBytes
        total.change(bytesMax: totalBytes)
    }

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }

    var sortedIDs: [ID] { all.keys.sorted() }

    subscript(id: ID) -> Subscription? {
        get { all[id] }
        _modify { yield &all[id] }
    }

    func id(_ key: Key) -> ID? { ids[key] }

    func count(of connection: ConnectionID) -> Int { windows[connection]?.names.count ?? 0 }

    /// The number of selections to compare with a step of an instance.
    func reach(_ name: InstanceName) -> Int { index.count(name) }

    /// The live subscriptions that select some of these records of a step, in a fixed order.
    func liveCandidates(
        _ name: InstanceName, _ parts: [RecordParts.Part], of record: JournalRecord
    ) -> [ID] {
        index.candidates(name) { selection in
            parts.contains { selection.includes($0, of: record) }
        }.filter { all[$0]?.phase == .live }
    }

    /// Makes the live subscriptions that may select a step read it from the journal, in turns.
    mutating func postpone(
        _ name: InstanceName, before record: Cursor, _ asked: inout SubscriptionIndex.Asked
    ) {
        for id in index.remaining(name, &asked) {
            guard var subscription = all[id], subscription.phase == .live else { continue }
            fallBehind(&subscription, before: record)
            all[id] = subscription
            listIfAble(id)
        }
    }

    mutating func add(_ subscription: Subscription) {
        let key = Key(connection: subscription.connection, name: subscription.name)
        lastID += 1
        all[lastID] = subscription
        ids[key] = lastID
        index.insert(lastID, subscription.selection)
        windows[key.connection, default: Window()].names.append(key.name)
        listIfAble(lastID)
    }

    mutating func remove(_ key: Key) -> Bool {
        guard removeEntry(key) else { return false }
        windows[key.connection]?.names.removeAll { $0 == key.name }
        return true
    }

    mutating func remove(_ connection: ConnectionID) {
        guard let window = windows.removeValue(forKey: connection) else { return }
        for name in window.names {
            let key = Key(connection: connection, name: name)
            if let id = ids.removeValue(forKey: key) { all[id] = nil }
        }
        index.leave(window.names.count, of: all.count) { all[$0] != nil }
        leave(window.outstanding)
    }

    private mutating func removeEntry(_ key: Key) -> Bool {
        guard let id = ids.removeValue(forKey: key), let subscription = all.removeValue(forKey: id)
        else { return false }
        index.remove(id, subscription.selection)
        return true
    }

    // MARK: How far

    /// The cursor up to which everything was sent or isn't selected.
    func reached(_ subscription: Subscription) -> Cursor {
        subscription.phase == .live
            ? max(subscription.position, published) : subscription.position
    }

    /// Records skipped since the client's last cursor.
    func passedOver(_ subscription: Subscription) -> Int {
        subscription.phase == .live
            ? subscription.passedOver + publishedRecords - subscription.publishedBefore
            : subscription.passedOver
    }

    /// Records the cursor that was sent to the client.
    func recordAnnounced(_ subscription: inout Subscription, _ cursor: Cursor, at now: Timestamp) {
        subscription.announced = cursor
        subscription.announcedAt = now
        subscription.passedOver = 0
        subscription.publishedBefore = publishedRecords
    }

    /// Makes a subscription live after it has read the whole journal.
    func goLive(_ subscription: inout Subscription) {
        subscription.phase = .live
        subscription.publishedBefore = publishedRecords
    }

    /// Ends being live, right before a record that can't be sent now.
    func fallBehind(_ subscription: inout Subscription, before record: Cursor) {
        subscription.passedOver = passedOver(subscription)
        subscription.phase = .catchingUp
        subscription.position =
            record.index > 0
            ? Cursor(sequence: record.sequence, index: record.index - 1)
            : Cursor(sequence: record.sequence - 1)
    }

    // MARK: Advancing

    private func canAdvance(_ subscription: Subscription) -> Bool {
        subscription.phase != .live && !subscription.waitsForCredit
            && isOpen(subscription.connection)
    }

    /// Appends a subscription to the list of those with work, if it has some and can do it.
    mutating func listIfAble(_ id: ID) {
        guard let subscription = all[id], !subscription.isAdvancing, canAdvance(subscription)
        else { return }
        all[id]?.isAdvancing = true
        advancing.append(id)
    }

    var advancingCount: Int { advancing.count }

    /// Dequeues the next subscription with work. ``listIfAble(_:)`` enqueues it again.
    mutating func nextTurn() -> ID? {
        while let id = advancing.next() {
            guard let subscription = all[id] else { continue }
            all[id]?.isAdvancing = false
            if canAdvance(subscription) { return id }
        }
        return nil
    }

    // MARK: Windows

    mutating func post(_ weight: Int, to connection: ConnectionID) {
        guard windows[connection] != nil else { return }
        windows[connection]?.posted += weight
        total.add(weight)
    }

    /// Records the weights that have left a connection's buffer.
    mutating func drain(_ connection: ConnectionID, through weight: Int) {
        guard let window = windows[connection], weight <= window.posted else { return }
        let wasOpen = isOpen(connection)
        windows[connection]?.drained = max(window.drained, weight)
        leave(max(0, weight - window.drained))
        guard !wasOpen, isOpen(connection) else { return }
        for name in window.names {
            if let id = ids[Key(connection: connection, name: name)] { listIfAble(id) }
        }
    }

    mutating func setWindow(_ bytes: Int) {
        windowBytes = bytes
        for id in sortedIDs { listIfAble(id) }
    }

    mutating func setTotalWindow(_ bytes: Int) {
        total.change(bytesMax: bytes)
        for id in sortedIDs { listIfAble(id) }
    }

    func isOpen(_ connection: ConnectionID) -> Bool {
        let outstanding = windows[connection]?.outstanding ?? 0
        return outstanding < windowBytes && total.isOpen(outstanding: outstanding)
    }

    /// Records bytes that were sent, or lost with their connection.
    private mutating func leave(_ bytes: Int) {
        if total.remove(bytes) { for id in sortedIDs { listIfAble(id) } }
    }

    /// Moves no subscription past the head, after a batch was given up.
    mutating func clip(to head: JournalPosition) {
        let end = Cursor(sequence: head)
        for id in sortedIDs {
            guard var subscription = all[id], subscription.position > end else { continue }
            subscription.position = end
            subscription.announced = min(subscription.announced, end)
            if case .snapshot(let moment, let after) = subscription.phase, moment > head {
                subscription.phase = .snapshot(moment: head, after: after)
            }
            all[id] = subscription
        }
    }
}
