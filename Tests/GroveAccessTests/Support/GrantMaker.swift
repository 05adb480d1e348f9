import GroveTestSupport

/// Makes random grants and names of few letters, so that they often match.
struct GrantMaker {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func bool() -> Bool { Bool.random(using: &random) }

    mutating func pick<T>(_ items: [T]) -> T {
        items[Int.random(in: items.indices, using: &random)]
    }

    mutating func pattern(_ letters: [String], upTo max: Int) -> String {
        let count = Int.random(in: 1...max, using: &random)
        var text = ""
        for _ in 0..<count {
            let part = pick(letters + ["*", "?"])
            if part != "*" || text.last != "*" { text += part }
        }
        return text
    }

    mutating func grant() -> MatchingModel.Grant {
        if Int.random(in: 0..<12, using: &random) == 0 {
            return MatchingModel.Grant(verbs: ["admin"], types: [], machine: "*", instance: "*")
        }
        let machine = pattern(["a", "b"], upTo: 3)
        let others = ["send", "read", "subscribe", "manage"].filter { _ in bool() }
        if Int.random(in: 0..<8, using: &random) == 0 {
            let verbs = others + ["define"]
            return MatchingModel.Grant(verbs: verbs, types: [], machine: machine, instance: "*")
        }
        let instance = pattern(["a", "b", "~", "{principal}"], upTo: 4)
        if bool() {
            let count = Int.random(in: 1...3, using: &random)
            let types = Set((0..<count).map { _ in pattern(["x", "y"], upTo: 2) }).sorted()
            return MatchingModel.Grant(
                verbs: ["send"], types: types, machine: machine, instance: instance)
        }
        return MatchingModel.Grant(
            verbs: others.isEmpty ? ["read"] : others, types: [], machine: machine,
            instance: instance)
    }

    /// Text of the same letters without wildcards.
    mutating func text(_ letters: [String], upTo max: Int) -> String {
        let count = Int.random(in: 1...max, using: &random)
        return (0..<count).map { _ in pick(letters) }.joined()
    }
}
