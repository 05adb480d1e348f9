/// An expression or script that can't become CEL.
struct ScriptFault: Error {
    enum Kind {
        /// It is no ECMAScript: evaluating it fails in any implementation.
        case syntax
        /// It is ECMAScript that CEL can't say.
        case unsupported
    }

    let kind: Kind
    /// The place within the text, in bytes.
    let index: Int
    let message: String
}
