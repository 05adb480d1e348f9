/// A request for a page, and how far it was read. Pages are read in turns of about a millisecond
/// with commits in between, so that nobody's event waits for a thousand rows.
enum PageRead {
    case list(ListRead)
    case history(HistoryRead)
    case effects(EffectsRead)

    /// The instance that it is about, if it is about one.
    var subject: InstanceName? {
        if case .history(let read) = self { read.history.to } else { nil }
    }

    /// Forgets what it has read; a batch that was given up takes back what it had made.
    mutating func restart() {
        switch self {
        case .list(let read): self = .list(ListRead(read.list))
        case .history(let read): self = .history(HistoryRead(read.history))
        case .effects(let read): self = .effects(EffectsRead(read.query))
        }
    }

    /// The same with nothing read yet; a page of history still ends where it was to end.
    var rewound: PageRead {
        guard case .history(let read) = self else {
            var again = self
            again.restart()
            return again
        }
        var again = HistoryRead(read.history)
        again.end = read.end
        return .history(again)
    }
}

/// `list`, as far as it was read.
struct ListRead {
    let list: List
    var items: [Reply.ListItem] = []
    var bytes = 0
    var after: String?
    var scanned = 0
    /// Rows that are asked for in one go: few at first, because each may hold a megabyte.
    var step = 8

    init(_ list: List) {
        self.list = list
        after = list.after
    }
}

/// `history`, as far as it was read: backwards, from the newest step of the page.
struct HistoryRead {
    let history: History
    /// The instance's newest step and version when it was asked for; `nil` before it was found.
    var end: (newest: JournalPosition, version: Int64)?
    /// The step to look at next.
    var next: JournalRecord?
    var page: [JournalRecord] = []
    /// Steps before it made room.
    var begin = 0
    var bytes = 0
    /// The lowest version that the journal holds, once known to be behind what was asked for.
    var first: Int64?

    init(_ history: History) { self.history = history }
}

/// `effects` of all instances, as far as they were read.
struct EffectsRead {
    /// What one turn looks at: about a millisecond.
    static let rowsPerTurn = 128
    static let bytesPerTurn = 256 << 10

    let query: EffectsQuery
    var page: [StoredEffect] = []
    var after: EffectRef?
    var looked = 0
    /// Rows of the next read: few, while it isn't known how large they are.
    var step = 4
    var room = Limits.pageBytesMax

    init(_ query: EffectsQuery) {
        self.query = query
        after = query.after
    }
}

/// The pages that are being read, in the order in which they were asked for. Only the first holds
/// what was read of it.
struct PageReadQueue {
    struct Entry {
        let connection: ConnectionID
        let token: UInt32
        var read: PageRead
    }

    private var entries: [Entry] = []
    /// Those before it are answered.
    private var begin = 0

    var count: Int { entries.count - begin }
    var isEmpty: Bool { begin == entries.count }

    var first: Entry? {
        get { isEmpty ? nil : entries[begin] }
        set {
            if let newValue { entries[begin] = newValue } else { removeFirst() }
        }
    }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    private mutating func removeFirst() {
        begin += 1
        guard begin > 64, 2 * begin > entries.count else { return }
        entries.removeFirst(begin)
        begin = 0
    }

    /// Takes out the one that was asked for last.
    mutating func takeLast() -> Entry? { isEmpty ? nil : entries.popLast() }

    /// Takes out those that are about one instance.
    mutating func take(about name: InstanceName) -> [Entry] {
        guard !isEmpty else { return [] }
        let taken = entries[begin...].filter { $0.read.subject == name }
        if !taken.isEmpty { keep { $0.read.subject != name } }
        return taken
    }

    /// Forgets the pages of a connection.
    ///
    /// - Returns: The tokens of their requests.
    mutating func remove(of connection: ConnectionID) -> [UInt32] {
        guard !isEmpty else { return [] }
        let removed = entries[begin...].filter { $0.connection == connection }
        if !removed.isEmpty { keep { $0.connection != connection } }
        return removed.map(\.token)
    }

    private mutating func keep(_ isKept: (Entry) -> Bool) {
        entries = entries[begin...].filter(isKept)
        begin = 0
    }

    mutating func restartAll() {
        for place in begin..<entries.count { entries[place].read.restart() }
    }
}
