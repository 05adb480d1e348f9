public import Transducers

/// The definitions that a server hosts, by name.
public struct Catalogue: Sendable {
    private let byName: [String: Definition]

    /// Creates a catalogue.
    ///
    /// - Throws: ``CatalogueError`` when a name doesn't fit the grammar or is repeated, or a
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

    public subscript(_ name: String) -> Definition? { byName[name] }

    public var all: [Definition] { byName.values.sorted { $0.name < $1.name } }
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
