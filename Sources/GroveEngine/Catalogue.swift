public import Transducers

/// The definitions a server hosts, by name. A value: what two queues need, both hold.
public struct Catalogue: Sendable {
    private let byName: [String: Definition]

    /// A catalogue of these definitions.
    ///
    /// - Throws: ``CatalogueError`` when a name doesn't fit the grammar or stands twice, or a
    ///   machine has faults.
    public init(_ definitions: [Definition]) throws(CatalogueError) {
        var byName: [String: Definition] = [:]
        for definition in definitions {
            var name = definition.name
            let isValid = name.withUTF8 { MachineName.isValid(UnsafeRawBufferPointer($0)) }
            guard isValid else { throw .invalidName(definition.name) }
            if let fault = definition.faults.first {
                throw .unusable(definition.name, why: fault)
            }
            guard byName.updateValue(definition, forKey: definition.name) == nil else {
                throw .duplicateName(definition.name)
            }
        }
        self.byName = byName
    }

    /// The definition of that name.
    public subscript(_ name: String) -> Definition? { byName[name] }

    /// All definitions in the order of their names.
    public var all: [Definition] { byName.values.sorted { $0.name < $1.name } }
}

extension CatalogueError: CustomStringConvertible {
    /// What is wrong, in words.
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
