/// Why a benchmark did not start.
package enum BenchStartError: Error {
    /// The server's address can't be resolved.
    case unreachable(String)
    /// The record file can't be created.
    case recordFile(String)
}
