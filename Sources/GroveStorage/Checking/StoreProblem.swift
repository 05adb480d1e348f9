/// One problem found in a data file.
package struct StoreProblem: Sendable, Equatable, CustomStringConvertible {
    /// The problem and its location, without any payload.
    package let description: String
}
