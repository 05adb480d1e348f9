/// The rule for starting an effect with the id of a live effect. Rows store the raw value.
public enum EffectPolicy: String, Sendable, Codable {
    /// The old effect is canceled and the new one starts. Later reports of the old one don't
    /// count.
    case replace
    /// Both run.
    case coexist
    /// The old effect continues; the new one runs no code.
    case keepOldest = "keep_oldest"
}
