import GroveEngine

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
            name: "keep-machines", kind: .texts, standard: .texts([]), unit: "",
            reason: "Bounds of the steps of single machines, beside those of all together: "
                + "machine:age-s=number, machine:steps=number or machine:bytes=number, one text "
                + "for each. For machines with many steps that are soon of no use.",
            isReloadable: true),
        ConfigurationKey(
            name: "keep-done-s", kind: .integer(0...3_000_000_000), standard: .integer(0),
            unit: "seconds",
            reason: "Time after its last step after which an instance that is done is deleted "
                + "with its dedup keys; 0 for never.", isReloadable: true),
    ]
}

extension ServerConfiguration {
    /// Takes over the values of these keys. Every text of `keep-machines` that is wrong is told.
    mutating func configureRetention(
        _ values: ConfigurationValues, _ problems: inout [ConfigurationProblem]
    ) {
        let key = "keep-machines"
        var machines = MachineBounds()
        for text in values.texts(key) {
            do throws(MachineBounds.Problem) { try machines.add(text) } catch {
                problems.append(problem(key, error.description))
            }
        }
        options.retention = RetentionOptions(
            steps: values.integer("keep-steps"), seconds: values.integer("keep-age-s"),
            bytes: values.integer("keep-bytes"), doneSeconds: values.integer("keep-done-s"),
            machines: machines.byMachine)
    }
}
