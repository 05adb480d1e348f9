import OrderedJSON

/// One change of accounts: who changed what, when and from where. Its hash covers the hash of the
/// one before, so who changes or removes one must also make all later ones again.
package struct AuditEntry: Hashable, Sendable {
    /// From 1, without holes; the oldest ones are removed with time.
    package let number: Int64
    /// When, in milliseconds since 1970.
    package let time: Int64
    /// The name of who did it.
    package let by: String
    /// Their address; `unix`, or `data` for the command line beside a server that was stopped.
    package let from: String
    /// What was changed, one line for each difference (``AccountChange/line``).
    package let changes: [String]
    /// SHA-256 of the hash before and of all the above: 32 bytes.
    package let hash: [UInt8]

    /// The hash before the first entry.
    package static let noHash = [UInt8](repeating: 0, count: SHA256.bytesCount)

    /// The entry after another one.
    ///
    /// - Parameter previous: The hash of the entry before; ``noHash`` for the first one.
    package init(
        number: Int64, after previous: [UInt8], time: Int64, by: String, from: String,
        changes: [String]
    ) {
        self.number = number
        self.time = time
        self.by = by
        self.from = from
        self.changes = changes
        hash = Self.hash(
            of: Self.body(number: number, time: time, by: by, from: from, changes: changes),
            after: previous)
    }

    /// The changes that an entry keeps: as many as have room. The last line counts the others.
    package static func kept(_ changes: [String]) -> [String] {
        var room = changesBytesMax
        for (index, line) in changes.enumerated() {
            room -= line.utf8.count
            guard room < 0 else { continue }
            return changes[..<index] + ["… and \(changes.count - index) more lines"]
        }
        return changes
    }

    /// An entry as it was stored; ``isLinked(to:)`` says whether its hash is right.
    package init(
        number: Int64, time: Int64, by: String, from: String, changes: [String], hash: [UInt8]
    ) {
        self.number = number
        self.time = time
        self.by = by
        self.from = from
        self.changes = changes
        self.hash = hash
    }

    /// An entry from its content as JSON (``body``) and its hash; `nil` for another form.
    package init?(body: [UInt8], hash: [UInt8]) {
        guard hash.count == SHA256.bytesCount,
            let document = try? JSONDocument(
                parsing: body, limits: AccountsDocument.jsonLimits),
            let number = document.member("n", of: document.root).flatMap({ document.integer($0) }),
            let time = document.member("time", of: document.root).flatMap({ document.integer($0) }),
            let by = document.member("by", of: document.root).flatMap({ document.string($0) }),
            let from = document.member("from", of: document.root).flatMap({ document.string($0) }),
            let changes = document.member("changes", of: document.root)
        else { return nil }
        self.init(
            number: number, time: time, by: by, from: from,
            changes: document.elements(of: changes).compactMap { document.string($0) },
            hash: hash)
        guard self.body == body else { return nil }
    }

    /// Whether its hash follows from its content and the hash before.
    package func isLinked(to previous: [UInt8]) -> Bool {
        hash == Self.hash(of: body, after: previous)
    }

    /// The content as JSON, whose bytes are hashed: members in a fixed order.
    package var body: [UInt8] {
        Self.body(number: number, time: time, by: by, from: from, changes: changes)
    }

    /// The hash as hexadecimal digits.
    package var hashText: String {
        hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func body(
        number: Int64, time: Int64, by: String, from: String, changes: [String]
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("n", number)
            writer.member("time", time)
            writer.member("by", by)
            writer.member("from", from)
            writer.array("changes", changes)
        }
        return writer.bytes
    }

    private static func hash(of body: [UInt8], after previous: [UInt8]) -> [UInt8] {
        (previous + body).withUnsafeBytes { SHA256.digest(of: $0) }
    }
}
