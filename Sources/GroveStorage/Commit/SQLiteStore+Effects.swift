import CSQLite
import GroveEngine

extension SQLiteStore {
    /// The effects of one instance that have rows, in the order of their runs.
    ///
    /// - Throws: `.corrupt` when a row is damaged, or one that a search passes by; so do the
    ///   other reads of effects.
    public func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try reading { (tables) throws(StoreError) in try tables.effects.all(of: number) }
    }

    /// The effects of one instance, whatever rows beside them are like.
    ///
    /// - Throws: `.corrupt` when one of its own rows is damaged.
    public func ownEffects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try reading { (tables) throws(StoreError) in try tables.effects.own(of: number) }
    }

    /// One effect's row, or `nil`.
    public func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect? {
        try reading { (tables) throws(StoreError) in try tables.effects.find(ref) }
    }

    /// Up to `limit` effects that are due at `now` or were before, the earliest first, then by
    /// their ref.
    public func effectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try reading { (tables) throws(StoreError) in
            try tables.effectIndexes.due(at: now, limit: limit)
        }
    }

    /// When the next effect is due; `nil` when none ever is.
    public func nextDue() throws(StoreError) -> Timestamp? {
        try reading { (tables) throws(StoreError) in try tables.effectIndexes.nextDue() }
    }

    /// Up to `limit` effects that wait for a handler, in the order of their refs, behind `after`.
    public func effects(
        inLane lane: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try reading { (tables) throws(StoreError) in
            try tables.effectIndexes.effects(inLane: lane, after: after, limit: limit)
        }
    }

    /// Effects that are due, those that are damaged apart.
    public func soundEffectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> SoundEffects {
        try reading { (tables) throws(StoreError) in
            try tables.effectIndexes.sound(dueAt: now, limit: limit)
        }
    }

    /// Effects that wait for a handler, those that are damaged apart.
    public func soundEffects(
        inLane lane: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects {
        try reading { (tables) throws(StoreError) in
            try tables.effectIndexes.sound(inLane: lane, after: after, limit: limit)
        }
    }

    /// The names of all handlers that effects wait for, as the index has them.
    public func soundLanes() throws(StoreError) -> [String] {
        try reading { (tables) throws(StoreError) in try tables.effectIndexes.indexedLanes() }
    }

    /// The names of all handlers that effects wait for, in the order of their bytes.
    public func lanes() throws(StoreError) -> [String] {
        try reading { (tables) throws(StoreError) in try tables.effectIndexes.lanes() }
    }

    /// A page of effects in the order of their refs, behind `after`.
    public func effects(
        after: EffectRef?, limit: Int
    ) throws(StoreError) -> [StoredEffect] {
        try reading { (tables) throws(StoreError) in
            try tables.effects.page(after: after, limit: limit)
        }
    }

    // MARK: Writing

    /// An effect of a commit with its encoded row.
    struct EncodedEffect {
        var write: WriteSet.EffectWrite
        var body: [UInt8]
    }

    /// The effects of a commit in the order of their refs, which is the order of their pages. Made
    /// before the transaction, so that one that can't be written leaves nothing behind.
    static func encodedEffects(_ writes: WriteSet) throws(StoreError) -> [EncodedEffect] {
        var effects: [EncodedEffect] = []
        effects.reserveCapacity(writes.effects.count)
        for write in writes.effects where write.row != nil || !write.isNew {
            effects.append(
                EncodedEffect(write: write, body: try write.row?.encodedBody() ?? []))
        }
        effects.sort { $0.write.ref < $1.write.ref }
        return effects
    }

    /// Writes and removes the rows of effects, within a transaction.
    func writeEffects(
        _ effects: [EncodedEffect], _ tables: Tables, _ next: inout State
    ) throws(SQLiteFailure) {
        for effect in effects {
            let write = effect.write
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
