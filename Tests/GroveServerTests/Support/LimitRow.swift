/// One row of docs/reference/limits.md according to the code.
struct LimitRow: Sendable {
    /// The bounded quantity, as on the page.
    let bound: String
    /// The value, made from the constant.
    let value: String
    /// The configuration key and its default, if there is one.
    var key: (name: String, standard: Int)?
    /// The tests that reach it.
    let tests: [String]

    init(
        _ bound: String, _ value: String, key: (name: String, standard: Int)? = nil,
        by tests: String...
    ) {
        self.bound = bound
        self.value = value
        self.key = key
        self.tests = tests
    }

    /// A number with its thousands apart.
    static func count(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number))
        return String(
            digits.enumerated().flatMap { place, digit in
                place > 0 && (digits.count - place).isMultiple(of: 3) ? [",", digit] : [digit]
            })
    }

    /// Bytes in the largest unit of which they are a whole number.
    static func bytes(_ number: Int) -> String {
        if number.isMultiple(of: 1 << 20) { return "\(count(number >> 20)) MiB" }
        if number.isMultiple(of: 1 << 10) { return "\(count(number >> 10)) KiB" }
        return "\(count(number)) bytes"
    }

    /// Milliseconds as whole seconds.
    static func seconds(_ milliseconds: Int64) -> String {
        milliseconds.isMultiple(of: 1_000)
            ? "\(count(milliseconds / 1_000)) s" : "\(count(milliseconds)) ms"
    }

    /// A duration as whole seconds.
    static func seconds(_ duration: Duration) -> String {
        seconds(Int64(duration / .milliseconds(1)))
    }
}
