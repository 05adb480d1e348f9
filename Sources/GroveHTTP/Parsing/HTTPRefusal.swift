/// Why a request isn't accepted. Nothing that follows it on the connection can be read.
public struct HTTPRefusal: Error, Sendable, Equatable {
    /// The status of the answer.
    public let status: Int
    /// What is wrong, and what would be right.
    public let detail: String

    /// A refusal with this status, and a sentence that says what would be right.
    public init(_ status: Int, _ detail: String) {
        self.status = status
        self.detail = detail
    }
}
