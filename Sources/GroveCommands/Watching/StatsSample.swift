import GroveClient
import OrderedJSON

/// The server's numbers at one moment.
struct StatsSample {
    let numbers: [String: Int64]
    let taken: ContinuousClock.Instant

    subscript(name: String) -> Int64 { numbers[name] ?? 0 }
}

extension StatsSample {
    /// Reads the reply to `stats`.
    init(_ reply: Reply, taken: ContinuousClock.Instant = .now) {
        var numbers: [String: Int64] = [:]
        let document = reply.document
        for (name, value) in document.members(of: document.root) {
            numbers[document.plainText(name)] = document.integer(value)
        }
        self.init(numbers: numbers, taken: taken)
    }
}
