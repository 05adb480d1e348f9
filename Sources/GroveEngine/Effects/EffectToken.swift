/// The token that answers a waiting effect from outside: the effect, and 128 random bits.
public struct EffectToken: Sendable, Hashable {
    public let ref: EffectRef
    /// The random part, 32 hexadecimal digits.
    let secret: String

    init(ref: EffectRef, secret: String) {
        self.ref = ref
        self.secret = secret
    }

    /// Reads a token; `nil` for other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let instance = Int64(parts[0]), instance > 0,
            let number = Int64(parts[1]), number > 0, parts[2].utf8.count == 32
        else { return nil }
        ref = EffectRef(instance: InstanceNumber(instance), number: number)
        secret = String(parts[2])
        guard self.text == text else { return nil }
    }

    /// The token as clients have it.
    public var text: String { "\(ref.instance.value)-\(ref.number)-\(secret)" }

    /// Compares in constant time, so that the time doesn't reveal a correct prefix.
    func matches(_ stored: String) -> Bool {
        let mine = Array(text.utf8)
        let theirs = Array(stored.utf8)
        guard mine.count == theirs.count else { return false }
        return zip(mine, theirs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
