/// The bounds of the steps that a start redoes.
struct RedoBounds: Equatable {
    /// Journal steps.
    var steps: Int64
    /// Bytes of these steps, and of the rows that are behind.
    var bytes: Int64
}
