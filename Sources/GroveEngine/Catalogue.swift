public import Transducers

/// The definitions that a server hosts, by name.
public struct Catalogue: Sendable {
    /// The present definition of each name.
    private var byName: [String: Definition] = [:]
    /// Machines as data by name, without those that are parts of others.
    private var families: [String: Family] = [:]
    /// The machine that each part belongs to; each machine as data belongs to itself.
    private var homes: [String: String] = [:]
    /// Machines as data of which the store has definitions that can't be used.
    private(set) var unusable: Set<String> = []

    /// A machine as data with its parts.
    private struct Family: Sendable {
        /// The definitions by name and version.
        var versions: [String: [String: Definition]] = [:]
        /// Versions that a store has, and the bytes of their texts.
        var stored = (count: 0, bytes: 0)
        /// Whether it takes no new instances.
        var isRetired = false
    }

    /// Creates a catalogue of compiled machines.
    ///
    /// - Throws: ``CatalogueError`` when a name doesn't fit the grammar or is repeated, or a
    ///   machine has faults.
    public init(_ definitions: [Definition]) throws(CatalogueError) {
        for definition in definitions { try add(definition) }
    }

    /// Adds a compiled machine.
    ///
    /// - Throws: ``CatalogueError`` when the name doesn't fit the grammar or is taken, or the
    ///   machine has faults.
    public mutating func add(_ definition: Definition) throws(CatalogueError) {
        try Self.check(definition)
        guard byName[definition.name] == nil else { throw .duplicateName(definition.name) }
        byName[definition.name] = definition
    }

    /// The present definition of a machine: that of new instances.
    public subscript(_ name: String) -> Definition? { byName[name] }

    /// Whether a machine has a present definition.
    func isLoaded(_ name: String) -> Bool { byName.index(forKey: name) != nil }

    /// The present definitions in the order of their names.
    public var all: [Definition] { byName.values.sorted { $0.name < $1.name } }

    /// The definition of an instance: its own version of a machine as data, and the present one of
    /// a compiled machine.
    public func definition(of stored: StoredInstance) -> Definition? {
        definition(named: stored.name.machine, version: stored.definitionVersion)
    }

    /// The definition of an instance whose last step had a version of a definition.
    public func definition(named name: String, version: String) -> Definition? {
        guard let present = byName[name] else { return nil }
        guard present.isFixed, present.version != version else { return present }
        return homes[name].flatMap { families[$0]?.versions[name]?[version] }
    }

    /// The definition of a new instance: the present one, but for a machine that is written within
    /// that of the instance that starts it. This one is of the same version: each version has its
    /// own, whatever the names are.
    func definition(ofNew name: String, for parent: InstanceStarter?) -> Definition? {
        guard let parent, isPart(name, besides: parent.machine) else { return byName[name] }
        return definition(named: name, version: parent.version) ?? byName[name]
    }

    private static func check(_ definition: Definition) throws(CatalogueError) {
        var name = definition.name
        let isValid = name.withUTF8 { MachineName.isValid(UnsafeRawBufferPointer($0)) }
        guard isValid else { throw .invalidName(definition.name) }
        if let fault = definition.faults.first {
            throw .unusable(definition.name, why: fault)
        }
    }

    // MARK: Machines as data

    /// Adds a version of a machine as data with its parts, which become the present ones.
    ///
    /// - Parameters:
    ///   - family: The machine first.
    ///   - bytes: The bytes of its text in the store.
    /// - Throws: ``CatalogueError`` when a name doesn't fit the grammar or is that of another
    ///   machine, or a machine has faults.
    public mutating func add(family: [Definition], bytes: Int) throws(CatalogueError) {
        guard let machine = family.first else { return }
        for definition in family {
            try Self.check(definition)
            guard byName[definition.name] == nil || homes[definition.name] == machine.name else {
                throw .duplicateName(definition.name)
            }
        }
        var known = families[machine.name] ?? Family()
        if known.versions[machine.name]?[machine.version] == nil {
            known.stored.count += 1
            known.stored.bytes += bytes
        }
        known.isRetired = false
        for definition in family {
            byName[definition.name] = definition
            homes[definition.name] = machine.name
            known.versions[definition.name, default: [:]][definition.version] = definition
        }
        families[machine.name] = known
    }

    /// The machine that a machine as data is, or is a part of; `nil` for others.
    public func family(of name: String) -> String? { homes[name] }

    /// Whether a machine is written within another one, and that is also the machine of the other
    /// name, or the one around it: its instances follow the versions of those that start them.
    func isPart(_ name: String, besides other: String) -> Bool {
        guard let home = homes[name], home != name else { return false }
        return homes[other] == home
    }

    /// The names of a machine as data and its parts, of all versions.
    func names(inFamilyOf name: String) -> Set<String> {
        Set(families[name]?.versions.keys.map(\.self) ?? [])
    }

    /// Notes that the store has definitions of a machine which can't be used.
    public mutating func noteUnusable(_ name: String) { unusable.insert(name) }

    /// Whether a machine takes no new instances.
    public func isRetired(_ name: String) -> Bool {
        homes[name].map { families[$0]?.isRetired == true } ?? false
    }

    /// The versions of a machine as data, in no order; none for others.
    public func versions(of name: String) -> [String] {
        homes[name].flatMap { families[$0]?.versions[name] }.map { Array($0.keys) } ?? []
    }

    /// From now on a machine takes no new instances.
    public mutating func retire(_ name: String) { families[name]?.isRetired = true }

    /// Removes a machine as data with its parts.
    mutating func remove(_ name: String) {
        for part in names(inFamilyOf: name) {
            byName[part] = nil
            homes[part] = nil
        }
        families[name] = nil
    }

    /// Removes former versions of a machine as data with its parts.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of their texts in the store.
    ///   - order: The versions that stay, the last one last: a part that the present version
    ///     doesn't have is that of the last version with it.
    mutating func remove(
        _ versions: Set<String>, of name: String, bytes: Int, leaving order: [String]
    ) {
        guard var family = families[name] else { return }
        for (part, definitions) in family.versions {
            let left = definitions.filter { !versions.contains($0.key) }
            family.versions[part] = left.isEmpty ? nil : left
            guard let present = byName[part], versions.contains(present.version) else { continue }
            byName[part] = order.last { left[$0] != nil }.flatMap { left[$0] }
            if left.isEmpty { homes[part] = nil }
        }
        family.stored.count -= versions.count
        family.stored.bytes -= bytes
        families[name] = family
    }

    /// The number of definitions in the store.
    var storedCount: Int { families.values.reduce(0) { $0 + $1.stored.count } }

    /// The bytes of their texts.
    var storedBytes: Int { families.values.reduce(0) { $0 + $1.stored.bytes } }
}

extension CatalogueError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidName(let name):
            "\"\(name)\" is no name of a machine: a letter, then up to 63 letters, digits, "
                + "\"_\", \".\" and \"-\""
        case .duplicateName(let name): "two machines have the name \(name)"
        case .unusable(let name, let why): "machine \(name): \(why)"
        }
    }
}
