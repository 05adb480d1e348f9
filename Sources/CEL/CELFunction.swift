/// A function of the host: its signature. The code is given to each evaluation.
public struct CELFunction: Hashable, Sendable {
    /// The name, which may have points. `in` is possible: `in('busy')`.
    public let name: String
    /// The types of the arguments.
    public let parameters: [CELType]
    /// The type of the result.
    public let result: CELType

    /// A signature. Two functions of one name differ in the number of their parameters.
    public init(_ name: String, _ parameters: [CELType], result: CELType) {
        self.name = name
        self.parameters = parameters
        self.result = result
    }
}
