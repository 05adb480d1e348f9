/// An output of a parallel product, with its side. On the wire `{"type":"first","value":…}` and so
/// on. Silent if the side's output is.
public enum ParallelOutput<First, Second> {
    /// Of the first machine.
    case first(First)
    /// Of the second machine.
    case second(Second)
    /// The initial outputs, if both machines have one.
    case both(first: First, second: Second)
    /// A side has failed, which has ended the product.
    case failed(SideFailure)
}

extension ParallelOutput: SilenceableOutput {
    /// Whether the side's output is silent or `Void`.
    public var isSilent: Bool {
        switch self {
        case .first(let output): NoOutput.isSilent(output)
        case .second(let output): NoOutput.isSilent(output)
        case .both(let first, let second): NoOutput.isSilent(first) && NoOutput.isSilent(second)
        case .failed: false
        }
    }
}

extension ParallelOutput: Sendable where First: Sendable, Second: Sendable {}
extension ParallelOutput: Equatable where First: Equatable, Second: Equatable {}
extension ParallelOutput: Hashable where First: Hashable, Second: Hashable {}
extension ParallelOutput: Encodable where First: Encodable, Second: Encodable {}
extension ParallelOutput: Decodable where First: Decodable, Second: Decodable {}
