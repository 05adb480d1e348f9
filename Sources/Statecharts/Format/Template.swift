import CEL

/// A value in an expression position: expressions within lists and maps.
indirect enum Template: Sendable {
    struct Member: Sendable {
        let key: CELKey
        let value: Template
    }

    case constant(CELValue)
    case expression(ChartExpression)
    case list([Template])
    case map([Member])

    /// The value, if it needs no evaluation.
    var constant: CELValue? {
        if case .constant(let value) = self { value } else { nil }
    }
}
