/// The output of a machine without outputs, as a value that can be written.
public struct NoOutput: SilenceableOutput, Codable, Hashable, Sendable {
    /// The only value.
    public init() {}

    /// Always `true`.
    public var isSilent: Bool { true }

    /// Whether an output of any type means nothing: `Void` and silent values do.
    package static func isSilent<Output>(_ output: Output) -> Bool {
        (output as? any SilenceableOutput)?.isSilent ?? (output is Void)
    }
}
