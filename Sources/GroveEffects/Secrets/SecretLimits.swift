// Bounds of secrets, each with its reason.

extension SecretGrant {
    /// Bytes of a secret's name, as of a principal's.
    static let nameBytesMax = 64
}

extension SecretValue {
    /// Bytes of a value: servers accept little more in all headers together.
    package static let bytesMax = 4_096
}

extension EffectSecrets {
    /// The number of secrets: each text of an answer is searched for each of them.
    package static let countMax = 64

    /// The shortest value that is replaced in answers: a shorter one is in texts by chance.
    package static let replacedBytesMin = 8
}
