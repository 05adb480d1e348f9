import OrderedJSON

// Every bound of accounts and grants, with its reason.

extension PrincipalName {
    /// Bytes of a principal's name: it stands in instance names by `{principal}`, in the log and in
    /// the journal's `by`.
    package static let bytesMax = 64
}

extension Identity {
    /// Bytes of an identity's text: a URI of 512 bytes, or a subject with a dozen parts.
    package static let bytesMax = 512

    /// Bytes of the subject in `cert:subject:…`. A certificate's subject is cut after 256, so a
    /// longer one is never whole, and two that are cut alike must not be one identity.
    package static let subjectBytesMax = 255
}

extension Grant {
    /// Bytes of a grant's text: 32 event types of 24 letters, and names of full length.
    package static let textBytesMax = 1_024

    /// Event types of one grant; each event is held against all of them.
    package static let eventTypesMax = 32

    /// Bytes of one event type, as of the pattern of output types in `select`.
    package static let eventTypeBytesMax = 200

    /// Bytes of the machine part: a machine's name has no more.
    package static let machineBytesMax = 64

    /// Bytes of the instance part before `{principal}` is replaced: an instance's name has no more.
    package static let instanceBytesMax = 200
}

extension GrantTable {
    /// Machines whose grants are remembered. Clients choose the names, so at the bound all are
    /// forgotten: each new name then takes about a microsecond, and no more memory.
    package static let machinesMax = 256

    /// Grants for one machine that are tried each time: a dozen nanoseconds each, while a
    /// remembered decision takes fifty and its memory.
    static let quickRulesMax = 4
}

extension AccessCache {
    /// Decisions that one connection remembers: 8 KiB at most.
    package static let entriesMax = 64

    /// Bytes of verb, name and event type of a remembered decision. Longer ones are decided again
    /// each time.
    package static let keyBytesMax = 112
}

extension BearerToken {
    /// Random bytes that make a token: 8 for its id and 88 for its secret, of which 43 must be
    /// below 248. With a sound generator fewer are left once in 10^43 tries.
    package static let randomBytesMin = 96
}

extension AccountsDocument {
    /// Principals of one server. A commit of all of them at once stays below 100 MiB.
    package static let accountsMax = 10_000

    /// The bounds of a document's text.
    package static let jsonLimits = JSONLimits(
        depthMax: 8, bytesMax: 64 << 20, valuesMax: 2_000_000)
}

extension Account {
    /// Identities of a principal: certificates of its machines, and users.
    package static let identitiesMax = 64

    /// Grants of a principal: all of them may be tried for one name.
    package static let grantsMax = 64

    /// Tokens of a principal: two while one is replaced, for a few places.
    package static let tokensMax = 8

    /// How many times as many parts a stored account may have as a server gives: a later release
    /// with lower bounds still opens the data file.
    static let storedFactor = 4
}

extension TokenNote {
    /// Bytes of a token's label: it is for people.
    package static let labelBytesMax = 100
}

extension TokenEnd {
    /// The time after which a token ends unless somebody says otherwise: 90 days. A client that
    /// needs one for longer rotates it by then.
    package static let standardMilliseconds: Int64 = 90 * 86_400_000

    /// The overlap of a rotated token with its successor unless somebody says otherwise: a day.
    package static let standardOverlap: Int64 = 86_400_000

    /// The longest overlap: a year.
    package static let overlapMax: Int64 = 366 * 86_400_000
}

extension AuditEntry {
    /// Bytes of an entry's changes: those of a principal with all that it may have. A document can
    /// change thousands of them, and an entry is a row.
    static let changesBytesMax = 256 << 10
}

extension AccountsProblems {
    /// Problems that are listed. The others are counted.
    package static let listedMax = 100
}

extension Quota {
    /// The largest quota: a gigabit a second in bytes, and room.
    package static let valueMax: Int64 = 1_000_000_000
}

extension TokenBucket.Rate {
    /// The largest amount and burst, and the longest time in milliseconds: their product fits into
    /// 63 bits.
    static let amountMax: Int64 = 1 << 38
    static let millisecondsMax: Int64 = 1 << 22
}
