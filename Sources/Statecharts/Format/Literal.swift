import CEL

/// A value in a literal position: itself, or computed by `{"expr":"…"}`.
enum Literal: Sendable {
    case constant(CELValue)
    case computed(ChartExpression)

    /// The text, if it isn't computed.
    var text: String? {
        if case .constant(.string(let text)) = self { text } else { nil }
    }
}
