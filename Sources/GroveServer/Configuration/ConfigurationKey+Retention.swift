extension ConfigurationKey {
    /// What the server forgets by itself; 0 is for never in all of them.
    static let retention: [ConfigurationKey] = [
        ConfigurationKey(
            name: "keep-steps", kind: .integer(0...1 << 53), standard: .integer(0),
            unit: "steps",
            reason: "Newest steps of all instances together that the journal keeps; older ones "
                + "are removed. 0 keeps all. States aren't touched, whatever is removed.",
            isReloadable: true),
        ConfigurationKey(
            name: "keep-age-s", kind: .integer(0...3_000_000_000), standard: .integer(0),
            unit: "seconds",
            reason: "Time that the journal keeps a step; 0 for ever. It bounds for how long a "
                + "subscriber may be away, and what history shows.", isReloadable: true),
        ConfigurationKey(
            name: "keep-bytes", kind: .integer(0...1 << 53), standard: .integer(0),
            unit: "bytes",
            reason: "Bytes of steps that the journal keeps, without indexes and snapshots; 0 for "
                + "all. For a disk that must not fill up.", isReloadable: true),
        ConfigurationKey(
            name: "keep-done-s", kind: .integer(0...3_000_000_000), standard: .integer(0),
            unit: "seconds",
            reason: "Time after its last step after which an instance that is done is deleted "
                + "with its dedup keys; 0 for never.", isReloadable: true),
    ]
}
