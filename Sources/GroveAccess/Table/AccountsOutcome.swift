/// What a command has changed.
package struct AccountsOutcome: Sendable {
    /// The rows to write, with that of the audit; empty if nothing differs, and after a trial.
    package var rows: [AccountRow] = []
    /// The differences, one line each for people; the same that the audit has.
    package var lines: [String] = []
    /// The token that was made.
    package var token: StoredToken?
}
