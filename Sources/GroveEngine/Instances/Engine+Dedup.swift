extension Engine {
    /// The reply to the first request with this key. The present reply then repeats it, and depends
    /// on nothing else.
    mutating func knownDedup(
        _ key: [UInt8]?, on found: Lookup, in turn: Turn
    ) throws(Failure) -> DedupEntry? {
        guard let key, case .resident(let place) = found,
            instances.residents[place].stored.hasDedup
        else { return nil }
        let number = instances.residents[place].stored.number
        if let entry = batch.dedups[Batch.DedupKey(number: number, key: key)] {
            batch.relyOnly(on: true)
            return entry
        }
        let entry = try reading { () throws(StoreError) in try turn.store.dedup(number, key: key) }
        if entry != nil { batch.relyOnly(on: false) }
        return entry
    }

    mutating func remember(
        _ hash: EventHash, written: EventHash? = nil, key: [UInt8], sent: Reply.Sent,
        number: InstanceNumber, followsFromJournal: Bool = false
    ) {
        var entry = DedupEntry(
            hashHigh: hash.high, hashLow: hash.low, version: sent.version,
            sequence: sent.cursor.sequence, changed: sent.changed, done: sent.isDone)
        entry.written = written
        batch.writes.dedups.append(
            WriteSet.DedupWrite(
                number: number, key: key, entry: entry, followsFromJournal: followsFromJournal))
        batch.dedups[Batch.DedupKey(number: number, key: key)] = entry
    }
}
