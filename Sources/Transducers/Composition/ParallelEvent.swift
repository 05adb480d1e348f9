/// An event of a parallel product. On the wire `{"type":"first","value":…}`,
/// `{"type":"second","value":…}` and `{"type":"failed","value":{"side":…,"reason":…}}`.
public enum ParallelEvent<First, Second> {
    /// For the first machine.
    case first(First)
    /// For the second machine.
    case second(Second)
    /// A side has failed. Sent by the product to itself, and in process also by code that works for
    /// a side outside of its effects. A server refuses it from clients, because it is one of the
    /// product's ``BaseTransducer/internalEvents``. Refused if the rule keeps failures.
    case failed(SideFailure)
}

extension ParallelEvent: Sendable where First: Sendable, Second: Sendable {}
extension ParallelEvent: Equatable where First: Equatable, Second: Equatable {}
extension ParallelEvent: Hashable where First: Hashable, Second: Hashable {}
extension ParallelEvent: Encodable where First: Encodable, Second: Encodable {}
extension ParallelEvent: Decodable where First: Decodable, Second: Decodable {}
