/// The cost of one commit.
struct CommitStats: Sendable {
    /// The time from its start until it was durable and its answers were released.
    let microseconds: Int64
    /// The number of requests that it answers.
    let requests: Int
}
