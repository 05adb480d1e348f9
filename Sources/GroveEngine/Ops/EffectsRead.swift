import GroveAccess

/// `effects` of all instances, as far as they were read.
struct EffectsRead {
    let query: EffectsQuery
    let caller: Caller
    var page: [StoredEffect] = []
    var after: EffectRef?
    var looked = 0
    /// Rows of the next read: few, while it isn't known how large they are.
    var step = 4
    var room = Limits.pageBytesMax

    init(_ query: EffectsQuery, by caller: Caller) {
        self.query = query
        self.caller = caller
        after = query.after
    }
}
