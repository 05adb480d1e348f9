/// The name of an effect, by which it is cancelled and replaced. Any hashable, sendable value
/// will do. Give each purpose a type of its own, and names of different purposes never collide. On
/// a server, that holds for all types but `String` and `Int`, which are stored as text alone.
public protocol EffectID: Hashable, Sendable {}
