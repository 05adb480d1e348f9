/// An instance that starts another one.
struct InstanceStarter {
    /// Its full name.
    let name: String
    let machine: String
    /// The version of its definition.
    let version: String
}

extension InstanceStarter {
    init(_ stored: StoredInstance) {
        self.init(
            name: stored.name.text, machine: stored.name.machine,
            version: stored.definitionVersion)
    }
}
