/// The bounds of the line protocol that the description of the API names.
///
/// The line protocol checks them: its decoder and the engine have constants of their own, which
/// this target can't see. A test holds these to them.
enum ProtocolLimits {
    static let machineNameBytesMax = 64
    static let instanceNameBytesMax = 200
    static let reasonBytesMax = 1_024
    static let batchItemsMax = 1_000
    static let pageItemsMax = 1_000
    static let waitMillisecondsMax = 3_600_000
    static let importedVersionMax: Int64 = 1 << 52
    static let principalNameBytesMax = 64
    static let identityBytesMax = 512
    static let grantBytesMax = 1_024
    /// Identities of a principal, and grants.
    static let partsMax = 64
    static let tokensMax = 8
    static let tokenLabelBytesMax = 100
    static let quotaMax: Int64 = 1_000_000_000
    static let overlapMillisecondsMax: Int64 = 366 * 86_400_000
}
