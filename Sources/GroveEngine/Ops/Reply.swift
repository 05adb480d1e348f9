/// The answer to one request, as values; GroveProtocol writes it as a line.
public enum Reply: Sendable {
    /// To `send` and to a repeat of one.
    case sent(Sent)
    /// To `create`.
    indirect case created(Created)
    /// To `get`.
    indirect case got(Got)
    /// To `list`.
    case listed([ListItem], next: String?)
    /// To `history`: steps in the order of their versions, the version to go on after, and the
    /// first version that is held, where earlier ones were asked for.
    case history([JournalRecord], next: Int64?, first: Int64? = nil)
    /// To `subscribe`.
    indirect case subscribed(SubscriptionName, current: Cursor, first: Cursor)
    /// To `unsubscribe`, `credit`, and whatever has nothing more to say than that it was done.
    case done
    /// To `stop` and `delete`.
    case stopped(version: Int64, cursor: Cursor)
    /// To `suspend` and `resume`: the version of an instance, whether anything has changed, and
    /// the cursor behind the record of it.
    case held(version: Int64?, changed: Bool, cursor: Cursor)
    /// To `definitions`.
    case definitions([Hosted])
    /// To `stats`: named counters and gauges of engine and store, in a fixed order.
    case statistics([(name: String, value: Int64)])
    /// To `effects`: rows in the order of their refs, and where to go on.
    case effects([StoredEffect], next: EffectRef?)
    /// To `cancel`: the runs that were cancelled, and the cursor behind the record of it.
    case cancelled([Int64], cursor: Cursor)
    /// To `batch`: what became of each item, in order.
    case batch([BatchResult])
    /// To `can`.
    indirect case can(Can)
    /// To `describe`.
    indirect case described(Described)
    /// To `backup`.
    case backup(Backup)
    /// A refusal.
    indirect case failure(Failure)
}

extension Reply {
    /// About how many bytes of states, outputs and pages it carries, for the windows of
    /// connections; 0 for a small one, of which a connection may have as many as requests.
    public var weight: Int {
        let bytes =
            switch self {
            case .sent(let sent): sent.detail?.bytes ?? 0
            case .batch(let results):
                results.reduce(0) { bytes, result in
                    switch result {
                    case .sent(let sent): bytes + 100 + (sent.detail?.bytes ?? 0)
                    case .failure(let failure): bytes + 100 + failure.stateBytes
                    }
                }
            case .failure(let failure): failure.stateBytes
            default: stateBytes
            }
        return bytes < Limits.smallReplyBytesMax ? 0 : bytes
    }

    /// Bytes of the states and pages it carries beyond what is written anyway.
    var stateBytes: Int {
        switch self {
        case .got(let got): got.state.count
        case .listed(let items, _): items.reduce(0) { $0 + $1.state.count + 80 }
        case .history(let steps, _, _): steps.reduce(0) { $0 + $1.textBytes }
        case .effects(let rows, _): rows.count * 400
        case .can(let can): can.state?.count ?? 0
        case .batch(let results): results.count * 100
        case .described(let described): described.diagram.utf8.count * 3
        case .definitions(let items): items.reduce(0) { $0 + ($1.takes?.count ?? 0) * 100 + 80 }
        case .backup(.chunk(_, _, let bytes)): bytes.count
        case .sent, .created, .cancelled, .subscribed, .done, .stopped, .held, .statistics,
            .backup, .failure:
            0
        }
    }
}
