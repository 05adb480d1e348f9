/// An event for one of two machines. On the wire `{"type":"first","value":…}` and
/// `{"type":"second","value":…}`.
public enum PairEvent<First, Second> {
    /// For the first machine.
    case first(First)
    /// For the second machine.
    case second(Second)
}

extension PairEvent: Sendable where First: Sendable, Second: Sendable {}
extension PairEvent: Equatable where First: Equatable, Second: Equatable {}
extension PairEvent: Hashable where First: Hashable, Second: Hashable {}
extension PairEvent: Encodable where First: Encodable, Second: Encodable {}
extension PairEvent: Decodable where First: Decodable, Second: Decodable {}
