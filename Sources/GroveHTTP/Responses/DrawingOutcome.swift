/// What became of a ``DrawingOrder``.
package enum DrawingOutcome: Hashable, Sendable {
    /// The drawing, as SVG.
    case drawn([UInt8])
    /// It can't be drawn, and never will be; why, in a sentence.
    case refused(String)
    /// Too many drawings wait.
    case overloaded
}
