/// A failed attempt of a request that may be repeated.
struct HTTPFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
