/// The time and the store of one call of the engine. The engine has neither: its driver passes them
/// with each call.
struct Turn {
    let now: Timestamp
    /// The store, which only ``SealedBatch/commit(to:)`` and retention write to.
    let store: any Store
}
