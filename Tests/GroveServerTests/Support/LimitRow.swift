/// One row of docs/reference/limits.md according to the code.
struct LimitRow: Sendable {
    /// The thing that is limited, as named on the page.
    let bound: String
    /// The value, computed from the constant.
    let value: String
    /// The configuration key and its default, if there is one.
    var key: (name: String, standard: Int)?
    /// The tests that reach the limit.
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

    /// Formats a number with thousands separators.
    static func count(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number))
        return String(
            digits.enumerated().flatMap { place, digit in
                place > 0 && (digits.count - place).isMultiple(of: 3) ? [",", digit] : [digit]
            })
    }

    /// Formats bytes in the largest unit that gives a whole number.
    static func bytes(_ number: Int) -> String {
        if number.isMultiple(of: 1 << 20) { return "\(count(number >> 20)) MiB" }
        if number.isMultiple(of: 1 << 10) { return "\(count(number >> 10)) KiB" }
        return "\(count(number)) bytes"
    }

    /// Formats milliseconds as whole seconds.
    static func seconds(_ milliseconds: Int64) -> String {
        milliseconds.isMultiple(of: 1_000)
            ? "\(count(milliseconds / 1_000)) s" : "\(count(milliseconds)) ms"
    }

    /// Formats a duration as whole seconds.
    static func seconds(_ duration: Duration) -> String {
        seconds(Int64(duration / .milliseconds(1)))
    }
}
