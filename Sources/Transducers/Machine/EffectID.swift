/// The name of an effect, by which it is cancelled and replaced. Any hashable, sendable value
/// will do. Give each purpose a type of its own, and names of different purposes never collide.
public protocol EffectID: Hashable, Sendable {}
