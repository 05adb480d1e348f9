/// Why a benchmark did not start.
package enum BenchStartError: Error {
    /// The server's address means nothing that can be connected to.
    case unreachable(String)
    /// The record file can't be made.
    case recordFile(String)
}
