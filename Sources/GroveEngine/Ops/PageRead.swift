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

    /// The same with nothing read yet; a page of history still ends where it was to end.
    var rewound: PageRead { rewound(to: .max) }

    /// The same with nothing read yet, because a batch that was given up takes back what it had
    /// made: a page of history that was to end with that ends with what there is.
    func rewound(to head: JournalPosition) -> PageRead {
        switch self {
        case .list(let read): return .list(ListRead(read.list))
        case .effects(let read): return .effects(EffectsRead(read.query))
        case .history(let read):
            var again = HistoryRead(read.history)
            if let end = read.end, end.newest <= head { again.end = end }
            return .history(again)
        }
    }
}
