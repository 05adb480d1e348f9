/// The reason why certificates, keys and options give no ``TLSContext``.
public struct TLSContextError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file that is wrong; `nil` if none is.
    public let file: String?
    /// What is wrong and what to do, in one line without the file's name.
    public let message: String

    /// An error of a file, or of the options.
    public init(_ message: String, file: String? = nil) {
        self.file = file
        self.message = message
    }

    /// The file and the message.
    public var description: String { (file.map { "\($0): " } ?? "") + message }
}
