/// Whether outputs of any type mean nothing.
enum Silence {
    /// `Void` and silent values do.
    static func holds<Output>(_ output: Output) -> Bool {
        (output as? any SilenceableOutput)?.isSilent ?? (Output.self == Void.self)
    }
}
