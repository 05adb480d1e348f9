import GroveEngine

extension SQLiteStore {
    /// Returns the stored effects of one instance, in the order of their numbers.
    ///
    /// - Throws: `.corrupt` when a row is damaged, or one that the search passes. All reads of
    ///   effects throw so.
    public func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try reading { (tables) throws(StoreError) in
            Self.merged(
                try tables.effects.all(of: number), try pending.effects(of: number), \.ref)
        }
    }

    /// Returns the effects of one instance, even if neighboring rows are damaged.
    ///
    /// - Throws: `.corrupt` when one of its own rows is damaged.
    public func ownEffects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try reading { (tables) throws(StoreError) in
            Self.merged(
                try tables.effects.own(of: number), try pending.effects(of: number), \.ref)
        }
    }

    public func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect? {
        try reading { (tables) throws(StoreError) in
            if let effect = try pending.effect(ref) { return effect }
            return try tables.effects.find(ref)
        }
    }

    public func effectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try reading { (tables) throws(StoreError) in
            try tables.effectIndexes.due(at: now, limit: limit)
        }
    }

    public func nextDue() throws(StoreError) -> Timestamp? {
        try reading { (tables) throws(StoreError) in try tables.effectIndexes.nextDue() }
    }

    public func effects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try reading { (tables) throws(StoreError) in
            let found = try tables.effectIndexes.effects(
                inHandlerQueue: queue, after: after, limit: limit)
            let behind = try pending.effects(inHandlerQueue: queue, after: after, limit: limit)
            return Self.merged(found, behind, limit: limit, \.self)
        }
    }

    public func soundEffectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> SoundEffects {
        try reading { (tables) throws(StoreError) in
            try tables.effectIndexes.sound(dueAt: now, limit: limit)
        }
    }

    public func soundEffects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects {
        try reading { (tables) throws(StoreError) in
            var found = try tables.effectIndexes.sound(
                inHandlerQueue: queue, after: after, limit: limit)
            let behind = try pending.effects(inHandlerQueue: queue, after: after, limit: limit)
            found.refs = Self.merged(found.refs, behind, limit: limit, \.self)
            return found
        }
    }

    public func soundHandlerQueues() throws(StoreError) -> [String] {
        try reading { (tables) throws(StoreError) in
            try pending.handlerQueues().union(tables.effectIndexes.indexedHandlerQueues()).sorted()
        }
    }

    public func handlerQueues() throws(StoreError) -> [String] {
        try reading { (tables) throws(StoreError) in
            let found = try tables.effectIndexes.handlerQueues()
            let behind = try pending.handlerQueues()
            if behind.isSubset(of: found) { return found }
            return behind.union(found).sorted {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
        }
    }

    public func effects(
        after: EffectRef?, limit: Int
    ) throws(StoreError) -> [StoredEffect] {
        try reading { (tables) throws(StoreError) in
            let found = try tables.effects.page(after: after, limit: limit)
            let behind = try pending.effects(after: after, limit: limit)
            return Self.merged(found, behind, limit: limit, \.ref)
        }
    }

    public func effects(
        _ attention: EffectAttention, of machine: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try reading { (tables) throws(StoreError) in
            guard state.counts.isKept else { return [] }
            let table = try tables.readAttention()
            let found = try table.page(attention, of: machine, after: after, limit: limit)
            let count = state.counts.rows[machine]?[attention] ?? 0
            guard after != nil || found.count == min(count, Int64(max(limit, 0))) else {
                throw .corrupt(
                    "\(count) effects of machine \(machine) should be in table attention")
            }
            return found
        }
    }

    /// Two lists in the order of refs as one. No effect is in both.
    private static func merged<Element>(
        _ rows: [Element], _ behind: [Element], limit: Int = .max,
        _ ref: (Element) -> EffectRef
    ) -> [Element] {
        if behind.isEmpty { return rows }
        var merged: [Element] = []
        var place = 0
        for row in rows {
            while place < behind.count, ref(behind[place]) < ref(row) {
                merged.append(behind[place])
                place += 1
            }
            merged.append(row)
        }
        merged += behind[place...]
        return merged.count > limit ? Array(merged.prefix(limit)) : merged
    }

    // MARK: Writing

    /// An effect of a commit with its encoded row.
    struct EncodedEffect {
        var write: WriteSet.EffectWrite
        var body: [UInt8]
    }

    /// Encodes the effects that a commit writes. Runs before the transaction, so that an effect
    /// that can't be encoded leaves no trace.
    static func encoded(
        _ writes: [WriteSet.EffectWrite]
    ) throws(StoreError) -> [EncodedEffect] {
        try writes.map { write throws(StoreError) in
            EncodedEffect(write: write, body: try write.row?.encodedBody() ?? [])
        }
    }

    /// Writes or removes the row of an effect that has failed or asks, and counts it.
    private func writeAttention(
        _ write: WriteSet.EffectWrite, _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        let new = write.row.flatMap { AttentionEntry($0) }
        // Usually no effect of any machine needs attention: then there is nothing to look up.
        var old: AttentionEntry?
        if !write.isNew, next.counts.attentions > 0 {
            old = try tables.attention().entry(of: write.ref)
        }
        guard new != old else { return }
        if let old {
            try tables.attention().remove(old.ref)
            next.counts.add(-1, of: old)
        }
        if let new {
            try tables.attention().add(new)
            next.counts.add(1, of: new)
        }
    }

    /// Writes and removes rows of effects, within a transaction.
    func writeEffects(
        _ effects: [EncodedEffect], _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        for effect in effects {
            let write = effect.write
            try writeAttention(write, tables, &next)
            if let row = write.row {
                try tables.effects.write(row, body: effect.body, isNew: write.isNew)
                if write.isNew { next.meta.effects += 1 }
            } else {
                try tables.effects.remove(write.ref)
                next.meta.effects -= 1
            }
        }
    }
}
