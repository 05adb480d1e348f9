/// A text that isn't well-formed XML, or that this reader refuses.
struct XMLFault: Error {
    let offset: Int
    let message: String
}
