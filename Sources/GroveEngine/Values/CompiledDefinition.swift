public import Transducers

/// A definition as a server reads it.
public enum CompiledDefinition: Sendable {
    /// The machine first, then those that belong to it; and the weak points of the definition.
    case definitions([Definition], warnings: [DefinitionProblem])
    case refused([DefinitionProblem])
}

/// Reads definitions of machines as data.
public typealias DefinitionCompiler = @Sendable (_ text: [UInt8]) -> CompiledDefinition
