import GroveWire
public import OrderedJSON

extension Client {
    /// Adds a version of a machine as data, a statechart, which new instances use from now on. The
    /// same once more changes nothing.
    ///
    /// - Parameter isTrial: Whether the server checks everything and changes nothing.
    /// - Throws: ``ClientError``, such as `BAD_DEFINITION` with all problems in its data.
    public nonisolated func define(
        _ definition: JSONValue, isTrial: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> DefineReply {
        let request = Request(.define).with("definition", definition)
            .with("trial", isTrial ? .bool(true) : nil)
        return try DefineReply(try await self.request(request, timeout: timeout))
    }

    /// Removes a machine as data. While it has instances, its versions stay for them, and it takes
    /// no new ones.
    ///
    /// - Returns: The number of instances for which it stays.
    /// - Throws: ``ClientError``, such as `NO_SUCH_MACHINE`.
    @discardableResult
    public nonisolated func undefine(
        _ machine: String, timeout: Duration? = nil
    ) async throws(ClientError) -> Int64 {
        let reply = try await request(Request(.undefine).with("name", machine), timeout: timeout)
        return reply.integer("instances") ?? 0
    }

    /// Removes the versions of a machine as data that no instance has, but for the present one.
    ///
    /// - Throws: ``ClientError``, such as `NO_SUCH_MACHINE`.
    @discardableResult
    public nonisolated func prune(
        _ machine: String, timeout: Duration? = nil
    ) async throws(ClientError) -> PruneReply {
        PruneReply(try await request(Request(.prune).with("name", machine), timeout: timeout))
    }
}

/// The answer to ``Client/prune(_:timeout:)``, in the order in which the versions were defined.
public struct PruneReply: Sendable {
    /// A former version that instances have.
    public struct KeptVersion: Hashable, Sendable {
        /// The version.
        public let version: String
        /// The number of its instances, at least 1.
        public let instances: Int64
    }

    /// The versions that were removed.
    public let removed: [String]
    /// The former versions that stay.
    public let kept: [KeptVersion]
    /// Everything the server sent.
    public let reply: Reply

    init(_ reply: Reply) {
        self.reply = reply
        removed = (reply.value("removed")?.array ?? []).compactMap(\.string)
        kept = (reply.value("kept")?.array ?? []).compactMap { item in
            guard let version = item["version"]?.string else { return nil }
            return KeptVersion(version: version, instances: item["instances"]?.integer ?? 1)
        }
    }
}

/// The answer to ``Client/define(_:isTrial:timeout:)``.
public struct DefineReply: Sendable {
    /// A weak point of a definition.
    public struct Warning: Hashable, Sendable {
        /// The JSON path.
        public let path: String
        /// One sentence.
        public let message: String
    }

    /// The machine's name.
    public let name: String
    /// The version.
    public let version: String
    /// Whether it is new, or present again.
    public let changed: Bool
    /// The version that new instances use, if it is a later one.
    public let present: String?
    /// What is allowed and probably not meant.
    public let warnings: [Warning]
    /// Everything the server sent.
    public let reply: Reply

    init(_ reply: Reply) throws(ClientError) {
        self.reply = reply
        let fields = reply.fields
        name = try fields.required("name", Fields.string)
        version = fields.plainText("version") ?? ""
        changed = reply.bool("changed") ?? true
        present = fields.plainText("present")
        warnings = (reply.value("warnings")?.array ?? []).map {
            Warning(path: $0["path"]?.string ?? "$", message: $0["message"]?.string ?? "")
        }
    }
}
