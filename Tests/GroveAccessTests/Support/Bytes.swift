import GroveAccess

/// Calls `body` with the bytes of a text.
func withBytes<R>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try Array(text.utf8).withUnsafeBytes(body)
}

/// Calls `body` with the bytes of a text, or with `nil`.
func withBytes<R>(_ text: String?, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
    guard let text else { return try body(nil) }
    return try Array(text.utf8).withUnsafeBytes { try body($0) }
}

extension GrantTable {
    /// As `allows` for texts; a name without a slash is a machine's.
    func allows(_ verb: Verb, _ name: String, type: String? = nil) -> Bool {
        withBytes(name) { name in
            withBytes(type) { type in
                let target = AccessTarget(name: name)
                return allows(verb, target.machine, target.instance, eventType: type)
            }
        }
    }

    /// A table of grants that are written as texts.
    static func reading(
        _ texts: String..., principal: String = "shop"
    ) throws -> GrantTable {
        GrantTable(
            try PrincipalName(principal), try texts.map { try Grant($0) })
    }
}
