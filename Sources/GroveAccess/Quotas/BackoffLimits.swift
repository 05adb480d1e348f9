/// The bounds of ``AddressBackoff``, each with its reason.
package enum BackoffLimits {
    /// Addresses with failed tries that are remembered: 300 KiB.
    package static let addressesMax = 4_096

    /// Ten tries at once, and then ten a minute.
    package static let rate = TokenBucket.Rate(amount: 10, milliseconds: 60_000, burst: 10)
}
