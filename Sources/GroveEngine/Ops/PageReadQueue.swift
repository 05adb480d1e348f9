/// The pages that are being read, in the order of their requests. Only the first one holds data,
/// and each `prune`: these let the others go first after each turn, since they may be long.
struct PageReadQueue {
    struct Entry {
        let request: Request
        var read: PageRead
        /// Grows from page to page.
        fileprivate(set) var number = 0

        init(request: Request, read: PageRead) {
            self.request = request
            self.read = read
        }
    }

    /// Whether the next turn of work is one for pages, and not for subscriptions.
    var isNext = false
    private var entries: [Entry] = []
    /// The pages before it are answered.
    private var begin = 0
    private var lastNumber = 0
    /// The number of pages per instance.
    private var subjects: [InstanceName: Int] = [:]
    /// The number of pages per connection.
    private var connections: [ConnectionID: Int] = [:]
    /// The last page that may be about an instance that was deleted since.
    private var lastOfDeleted = 0

    var count: Int { entries.count - begin }
    var isEmpty: Bool { begin == entries.count }

    var first: Entry? {
        get { isEmpty ? nil : entries[begin] }
        set {
            if let newValue { entries[begin] = newValue } else { removeFirst() }
        }
    }

    mutating func append(_ entry: Entry) {
        lastNumber += 1
        entries.append(entry)
        entries[entries.count - 1].number = lastNumber
        connections[entry.request.connection, default: 0] += 1
        if let subject = entry.read.subject { subjects[subject, default: 0] += 1 }
    }

    /// The number of pages that a connection waits for.
    func count(of connection: ConnectionID) -> Int { connections[connection] ?? 0 }

    private mutating func removeFirst() {
        removeFromCounts(entries[begin])
        dropFirst()
    }

    /// Lets the others go before the first one.
    mutating func moveFirstToEnd() {
        guard count > 1 else { return }
        lastNumber += 1
        var entry = entries[begin]
        entry.number = lastNumber
        dropFirst()
        entries.append(entry)
    }

    /// Notes that an instance of a machine got a version of its definition.
    mutating func noteUse(of version: String, by machine: String) {
        for place in begin..<entries.count {
            guard case .prune(var read) = entries[place].read else { continue }
            read.noteUse(of: version, by: machine)
            entries[place].read = .prune(read)
        }
    }

    private mutating func dropFirst() {
        begin += 1
        guard begin > 64, 2 * begin > entries.count else { return }
        entries.removeFirst(begin)
        begin = 0
    }

    private mutating func removeFromCounts(_ entry: Entry) {
        let left = count(of: entry.request.connection) - 1
        connections[entry.request.connection] = left > 0 ? left : nil
        guard let subject = entry.read.subject, let count = subjects[subject] else { return }
        subjects[subject] = count > 1 ? count - 1 : nil
    }

    /// Keeps the journal steps of a deleted instance for the pages that were requested before.
    mutating func keepSteps(of name: InstanceName) {
        if subjects[name] != nil { lastOfDeleted = lastNumber }
    }

    /// Whether some page may be about an instance that was deleted.
    var keepsSteps: Bool { first.map { $0.number <= lastOfDeleted } ?? false }

    /// Forgets the pages of a connection.
    ///
    /// - Returns: The tokens of their requests.
    mutating func remove(of connection: ConnectionID) -> [UInt32] {
        guard !isEmpty else { return [] }
        let removed = entries[begin...].filter { $0.request.connection == connection }
        guard !removed.isEmpty else { return [] }
        for entry in removed { removeFromCounts(entry) }
        entries = entries[begin...].filter { $0.request.connection != connection }
        begin = 0
        return removed.map(\.request.token)
    }

    /// Restarts all pages after a batch was given up, with the data up to a journal position.
    mutating func restartAll(head: JournalPosition) {
        for place in begin..<entries.count {
            entries[place].read = entries[place].read.rewound(to: head)
        }
    }
}
