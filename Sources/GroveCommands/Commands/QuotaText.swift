import ArgumentParser

/// A quota on the command line: `events_per_s=100`, or `connections=standard`.
struct QuotaText: ExpressibleByArgument {
    let name: String
    /// `nil` for the standard one.
    let value: Int64?

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        name = String(parts[0])
        if parts[1] == "standard" {
            value = nil
        } else {
            guard let number = Int64(parts[1]) else { return nil }
            value = number
        }
    }

    /// Quotas by their names; of several values for one, the last counts.
    static func dictionary(_ quotas: [QuotaText]) -> [String: Int64?] {
        quotas.reduce(into: [:]) { $0.updateValue($1.value, forKey: $1.name) }
    }
}
