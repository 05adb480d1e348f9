/// All subscriptions, and how much of their records is on its way to each connection.
///
/// Three things keep a step from costing something for every subscription there is: an index of
/// who may want it, one place for how far all live ones have come, and a list of those that have
/// work to do of their own.
struct SubscriptionTable {
    /// A subscription's number: grows, and is never used again.
    typealias ID = Int

    struct Key: Hashable {
        var connection: ConnectionID
        var name: SubscriptionName
    }

    /// The window of one connection: bytes handed out against bytes that left.
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
    /// Bytes on their way to one connection before its subscriptions pause.
    private var windowBytes: Int
    /// Bytes on their way to all connections.
    private var total = SharedWindow()

    /// Those that are not live and can go on, as far as is known, in the order of their turns;
    /// some may be gone.
    private var advancing = WaitingQueue<ID>()

    /// Where all live subscriptions are: the head of what is committed.
    var published = Cursor(sequence: 0)
    /// Records of all steps committed since there are subscriptions.
    var publishedRecords = 0
    /// The cost of comparing a step with one selection, as of the last commit with subscribers, in
    /// parts of ``Limits/publishingWorkMax``.
    var workOfOneSelection = 1
    /// When all were looked at for checkpoints, and how many records had been published.
    var checkpointsAt = Timestamp(milliseconds: 0)
    var checkpointsRecords = 0
    /// Those that are still to be looked at, the next one last; some may be gone.
    var checkpointsLeft: [ID] = []

    /// An empty table.
    ///
    /// - Parameters:
    ///   - windowBytes: What may be on its way to one connection.
    ///   - totalBytes: What may be on its way to all of them.
    init(windowBytes: Int, totalBytes: Int) {
        self.windowBytes = windowBytes
        total.change(bytesMax: totalBytes)
    }

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }

    /// All numbers in the order of subscribing.
    var sortedIDs: [ID] { all.keys.sorted() }

    subscript(id: ID) -> Subscription? {
        get { all[id] }
        _modify { yield &all[id] }
    }

    func id(_ key: Key) -> ID? { ids[key] }

    func count(of connection: ConnectionID) -> Int { windows[connection]?.names.count ?? 0 }

    /// How many selections are held against a step of an instance.
    func reach(_ name: InstanceName) -> Int { index.count(name) }

    /// The live subscriptions that want some of these records of a step, in a fixed order.
    func liveCandidates(
        _ name: InstanceName, _ parts: [RecordParts.Part], of record: JournalRecord
    ) -> [ID] {
        index.candidates(name) { selection in
            parts.contains { selection.includes($0, of: record) }
        }.filter { all[$0]?.phase == .live }
    }

    /// Has the live ones that may want a step read it from the journal, in turns.
    mutating func putOff(
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

    /// Ends one subscription; `false` when there was none of that name.
    mutating func remove(_ key: Key) -> Bool {
        guard forget(key) else { return false }
        windows[key.connection]?.names.removeAll { $0 == key.name }
        return true
    }

    /// Ends everything of a connection.
    mutating func remove(_ connection: ConnectionID) {
        guard let window = windows.removeValue(forKey: connection) else { return }
        for name in window.names {
            let key = Key(connection: connection, name: name)
            if let id = ids.removeValue(forKey: key) { all[id] = nil }
        }
        index.leave(window.names.count, of: all.count) { all[$0] != nil }
        leave(window.outstanding)
    }

    private mutating func forget(_ key: Key) -> Bool {
        guard let id = ids.removeValue(forKey: key), let subscription = all.removeValue(forKey: id)
        else { return false }
        index.remove(id, subscription.selection)
        return true
    }

    // MARK: How far

    /// Up to where everything was sent or did not fit.
    func reached(_ subscription: Subscription) -> Cursor {
        subscription.phase == .live
            ? max(subscription.position, published) : subscription.position
    }

    /// Records passed over since the client was told a cursor.
    func passedOver(_ subscription: Subscription) -> Int {
        subscription.phase == .live
            ? subscription.passedOver + publishedRecords - subscription.publishedBefore
            : subscription.passedOver
    }

    /// Takes note that the client was told a cursor.
    func tell(_ subscription: inout Subscription, _ cursor: Cursor, at now: Timestamp) {
        subscription.announced = cursor
        subscription.announcedAt = now
        subscription.passedOver = 0
        subscription.publishedBefore = publishedRecords
    }

    /// Makes a subscription live that has read everything.
    func goLive(_ subscription: inout Subscription) {
        subscription.phase = .live
        subscription.publishedBefore = publishedRecords
    }

    /// Makes a live subscription wait, right before the record that it can't be given now.
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

    /// Puts a subscription on the list of those that have work to do, if it has and can.
    mutating func listIfAble(_ id: ID) {
        guard let subscription = all[id], !subscription.isAdvancing, canAdvance(subscription)
        else { return }
        all[id]?.isAdvancing = true
        advancing.append(id)
    }

    /// How many wait for their turn to advance.
    var advancingCount: Int { advancing.count }

    /// Whose turn it is to advance. It has left the queue: ``listIfAble(_:)`` puts it at the end.
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

    /// Takes note of what left a connection's buffer.
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

    /// Makes the windows of all connections larger or smaller.
    mutating func setWindow(_ bytes: Int) {
        windowBytes = bytes
        for id in sortedIDs { listIfAble(id) }
    }

    /// Makes what may be on its way to all connections together larger or smaller.
    mutating func setTotalWindow(_ bytes: Int) {
        total.change(bytesMax: bytes)
        for id in sortedIDs { listIfAble(id) }
    }

    func isOpen(_ connection: ConnectionID) -> Bool {
        let outstanding = windows[connection]?.outstanding ?? 0
        return outstanding < windowBytes && total.isOpen(outstanding: outstanding)
    }

    /// So many bytes have left, or are lost with their connection.
    private mutating func leave(_ bytes: Int) {
        if total.remove(bytes) { for id in sortedIDs { listIfAble(id) } }
    }

    /// Takes back what a commit that failed had promised: nobody is ahead of the head.
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
