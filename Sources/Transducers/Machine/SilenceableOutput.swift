/// An output that may mean nothing, such as a `none` case: a silent output is not written, not
/// numbered and not sent to anybody, and no result of a tracked send (``SendResults``). The
/// callback of a machine that runs in process gets every output, the silent ones too.
public protocol SilenceableOutput {
    /// Whether there is nothing to tell.
    var isSilent: Bool { get }
}

extension Optional: SilenceableOutput {
    /// `nil` is silent.
    public var isSilent: Bool {
        if case .none = self { true } else { false }
    }
}
