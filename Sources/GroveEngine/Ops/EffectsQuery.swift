import GroveAccess
import OrderedJSON
import Transducers

/// `effects`: a page of effects that run, wait or have failed, of one instance or of all.
public struct EffectsQuery: Sendable {
    /// The instance; `nil` for all.
    public var to: InstanceName?
    /// Only those in this phase.
    public var phase: StoredEffect.Phase?
    /// Only effects after this one (`next` of the page before).
    public var after: EffectRef?
    /// Items of the page, 1 to 1,000.
    public var limit: Int

    /// A query; without arguments, for all effects.
    public init(
        to: InstanceName? = nil, phase: StoredEffect.Phase? = nil, after: EffectRef? = nil,
        limit: Int = 100
    ) {
        self.to = to
        self.phase = phase
        self.after = after
        self.limit = limit
    }
}

extension Engine {
    /// `effects`: a page of rows.
    mutating func effects(_ query: EffectsQuery, of request: Request, in turn: Turn) -> Reply? {
        guard let name = query.to else {
            return page(.effects(EffectsRead(query, by: request.caller)), of: request, in: turn)
        }
        let filter = ReadFilter(access.subject(of: request.caller.principal))
        guard filter.includes(name) else { return .effects([], next: nil) }
        do throws(Failure) {
            guard let effects = try liveEffects(of: name, in: turn)?.effects else {
                return .effects([], next: nil)
            }
            var room = Limits.pageBytesMax
            var page: [StoredEffect] = []
            var isCutShort = false
            for row in effects.sorted
            where row.ref.instance == effects.instance && query.includes(row) {
                room -= row.shownBytes
                isCutShort = page.count == query.limit || (room <= 0 && !page.isEmpty)
                if isCutShort { break }
                page.append(row)
            }
            return .effects(page, next: isCutShort ? page.last?.ref : nil)
        } catch {
            return .failure(error)
        }
    }

    /// A turn of `effects` of all instances: rows as they are committed.
    mutating func advance(_ read: inout EffectsRead, in turn: Turn) throws(Failure) -> Reply? {
        let filter = ReadFilter(access.subject(of: read.caller.principal))
        var rowsLeft = Limits.pageEffectsPerTurn
        var bytesLeft = Limits.pageBytesPerTurn
        while rowsLeft > 0, bytesLeft > 0 {
            let (after, step) = (read.after, min(read.step, rowsLeft))
            let rows = try reading { () throws(StoreError) in
                try turn.store.effects(after: after, limit: step)
            }
            var bytes = 0
            for row in rows {
                bytes += row.readBytes
                if read.query.includes(row), filter.includes(named: row.body.owner) {
                    read.page.append(row)
                    read.room -= row.shownBytes
                }
                read.after = row.ref
                if read.page.count == read.query.limit || read.room <= 0 {
                    return .effects(read.page, next: read.after)
                }
            }
            rowsLeft -= rows.count
            bytesLeft -= bytes
            read.step = bytes > bytesLeft / 4 ? max(1, step / 4) : min(64, step * 2)
            read.looked += rows.count
            if rows.isEmpty { return .effects(read.page, next: nil) }
            // As for `list`: who may not see all isn't told where a page without items ends.
            if read.looked >= Limits.listRowsScannedMax, filter.isOpen {
                return .effects(read.page, next: read.after)
            }
        }
        return nil
    }
}

extension EffectsQuery {
    fileprivate func includes(_ row: StoredEffect) -> Bool {
        guard row.body.run != nil else { return false }
        if let phase, row.body.phase != phase { return false }
        if let after, row.ref <= after { return false }
        return true
    }
}
