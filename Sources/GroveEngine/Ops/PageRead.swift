/// A request for a page, with its progress. Pages are read in turns of about a millisecond with
/// commits in between, so that no event waits for a thousand rows.
enum PageRead {
    case list(ListRead)
    case history(HistoryRead)
    case effects(EffectsRead)
    case prune(PruneRead)

    /// The instance that it is about, if it is about one.
    var subject: InstanceName? {
        if case .history(let read) = self { read.history.to } else { nil }
    }

    /// The same page, unread; a page of history keeps its end.
    var rewound: PageRead { rewound(to: .max) }

    /// The same page, unread, after a batch was given up: a page of history that ended with the
    /// batch's steps ends with the committed ones.
    func rewound(to head: JournalPosition) -> PageRead {
        switch self {
        case .list(let read): return .list(ListRead(read.list, by: read.caller))
        case .prune(let read): return .prune(read.rewound)
        case .effects(let read): return .effects(EffectsRead(read.query, by: read.caller))
        case .history(let read):
            var again = HistoryRead(read.history, by: read.caller)
            if let end = read.end, end.newest <= head { again.end = end }
            return .history(again)
        }
    }
}
