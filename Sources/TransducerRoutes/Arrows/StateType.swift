/// A state that routes can be written for: a value that can be compared and hashed, mostly an
/// enum. Values cross threads, so what a state carries must be `Sendable`; enums are as they stand.
public protocol StateType: Hashable, Sendable {}
