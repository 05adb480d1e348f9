/// A state of routes: a hashable value, mostly an enum. Values cross threads, so associated values
/// must be `Sendable`.
public protocol StateType: Hashable, Sendable {}
