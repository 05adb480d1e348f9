/// A queue whose newest effect runs, and cancels the one before.
public protocol Newest1EffectQueue: EffectQueue {}
