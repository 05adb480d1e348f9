/// The answer to one request, as values; GroveProtocol writes it as a line.
public enum Reply: Sendable {
    /// To `send` and to a repeat of one.
    case sent(Sent)
    /// To `create`.
    indirect case created(Created)
    indirect case got(Got)
    case listed([ListItem], next: String?)
    /// To `history`: steps in the order of their versions, the version for the next page, and the
    /// first held version, if earlier ones were requested.
    case history([JournalRecord], next: Int64?, first: Int64? = nil)
    /// To `subscribe`.
    indirect case subscribed(
        SubscriptionName, current: Cursor, first: Cursor, isNarrowed: Bool = false)
    /// To `unsubscribe`, `credit`, and all requests without further fields.
    case done
    case stopped(version: Int64, cursor: Cursor)
    /// To `suspend` and `resume`: the version of an instance, whether anything changed, and the
    /// cursor after its record.
    case held(version: Int64?, changed: Bool, cursor: Cursor)
    case definitions([Hosted])
    indirect case defined(Defined)
    indirect case migrated(Migrated)
    /// To `undefine`: the instances for which the machine's versions are kept.
    case undefined(instances: Int64)
    indirect case pruned(Pruned)
    /// To `stats`: named counters and gauges of engine and store, in a fixed order.
    case statistics([(name: String, value: Int64)])
    /// To `effects`: rows in the order of their refs, and the position for the next page.
    case effects([StoredEffect], next: EffectRef?)
    /// To `cancel`: the numbers of the cancelled effects, and the cursor after its record.
    case cancelled([Int64], cursor: Cursor)
    /// To `batch`: the result of each item, in order.
    case batch([BatchResult])
    indirect case can(Can)
    indirect case described(Described)
    /// To `describe`, of a machine as data.
    indirect case describing(Describing)
    /// The same, made: its members as they are sent, each after a comma.
    case written([UInt8])
    case backup(Backup)
    /// To `accounts`, `token` and `audit`.
    indirect case accounts(Accounts)
    indirect case failure(Failure)
}

extension Reply {
    /// The estimated bytes of its states, outputs and pages, for the windows of connections; 0 for
    /// a small reply, which only counts as a request.
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

    /// The bytes of its states and pages that aren't stored anyway.
    var stateBytes: Int {
        switch self {
        case .got(let got): got.state.count
        case .listed(let items, _): items.reduce(0) { $0 + $1.state.count + 80 }
        case .history(let steps, _, _): steps.reduce(0) { $0 + $1.textBytes }
        case .effects(let rows, _): rows.count * 400
        case .can(let can): can.state?.count ?? 0
        case .batch(let results): results.count * 100
        case .described(let described): described.diagram.utf8.count * 6
        case .describing(let describing): describing.state?.count ?? 0
        case .written(let text): text.count
        case .definitions(let items): items.reduce(0) { $0 + ($1.takes?.count ?? 0) * 100 + 80 }
        case .backup(.chunk(_, _, let bytes)): bytes.count
        case .accounts(let accounts): accounts.bytes
        case .migrated(let migrated): migrated.state.count
        case .defined(let defined): defined.warnings.count * 200
        case .pruned(let pruned): (pruned.removed.count + pruned.kept.count) * 100
        case .undefined, .sent, .created, .cancelled, .subscribed, .done, .stopped, .held,
            .statistics,
            .backup, .failure:
            0
        }
    }
}
