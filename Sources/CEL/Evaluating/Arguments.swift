/// The arguments of a function's call, inline: no function but those of any number has more than
/// four.
struct Arguments {
    var count = 0
    var first: CELValue = .null
    var second: CELValue = .null
    var third: CELValue = .null
    var fourth: CELValue = .null

    mutating func append(_ value: CELValue) {
        switch count {
        case 0: first = value
        case 1: second = value
        case 2: third = value
        default: fourth = value
        }
        count += 1
    }

    /// The failure of a function that doesn't take these types.
    func mismatch(_ name: String) -> EvaluationFailure {
        let types = [first, second, third, fourth].prefix(count).map(\.type.name)
        return EvaluationFailure(
            "'\(name)' can't be applied to (\(types.joined(separator: ", ")))")
    }
}
