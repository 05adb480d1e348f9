/// The name of an effect: what it is cancelled and replaced by. Any hashable, sendable value
/// will do; types of one's own conform to tell names of one purpose from those of another.
public protocol EffectID: Hashable, Sendable {}
