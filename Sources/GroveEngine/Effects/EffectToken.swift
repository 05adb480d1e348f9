/// What lets somebody outside answer an effect that waits for them: says which effect it is, and
/// has 128 random bits that nobody guesses.
public struct EffectToken: Sendable, Hashable {
    /// The effect.
    public let ref: EffectRef
    /// The random part, 32 hexadecimal digits.
    let secret: String

    init(ref: EffectRef, secret: String) {
        self.ref = ref
        self.secret = secret
    }

    /// Reads a token; `nil` when the text is none.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let number = Int64(parts[0]), number > 0,
            let run = Int64(parts[1]), run > 0, parts[2].utf8.count == 32
        else { return nil }
        ref = EffectRef(instance: InstanceNumber(number), number: run)
        secret = String(parts[2])
        guard self.text == text else { return nil }
    }

    /// The token as it is handed out.
    public var text: String { "\(ref.instance.value)-\(ref.number)-\(secret)" }

    /// Whether this is the token that was handed out, in a time that doesn't tell how much of it
    /// is right.
    func matches(_ handedOut: String) -> Bool {
        let mine = Array(text.utf8)
        let theirs = Array(handedOut.utf8)
        guard mine.count == theirs.count else { return false }
        return zip(mine, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
