extension History {
    /// The page of an instance that a store holds and no engine works on, as `history` answers it.
    ///
    /// - Returns: The reply, always ``Reply/history(_:next:first:)``.
    /// - Throws: `.corrupt` when a link between steps leads nowhere; `.inputOutput`.
    public func read(
        of stored: StoredInstance, in store: any Store
    ) throws(StoreError) -> Reply {
        guard after < stored.version else { return .history([], next: nil) }
        let reader = JournalReader(store: store)
        let end = (newest: stored.newest, version: stored.version)
        let newest = try newest(end, reader: reader)
        var read = HistoryRead(self)
        read.end = end
        read.first = newest.first
        read.next = newest.record
        while true {
            if let reply = try read.advance(reader) { return reply }
        }
    }
}
