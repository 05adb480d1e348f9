import OrderedJSON

extension AccountsDocument {
    /// The document as JSON: the same bytes for the same accounts.
    package func serialized() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("accounts", Self.version)
            writer.object("principals") { writer in
                for account in accounts {
                    writer.comma()
                    writer.string(account.name.text)
                    writer.literal(":")
                    writer.object { account.appendMembers(to: &$0) }
                }
            }
        }
        return writer.bytes
    }

}

extension Account {
    /// Appends its members but for the name, as a document has them.
    package func appendMembers(to writer: inout JSONWriter) {
        if name != .anonymous { writer.array("identities", identities.map(\.text)) }
        writer.array("grants", grants.map(\.description))
        if !quotas.isEmpty {
            writer.object("quotas") { writer in
                for quota in Quota.allCases {
                    guard let value = quotas[quota] else { continue }
                    writer.comma()
                    writer.string(quota.rawValue)
                    writer.literal(":")
                    writer.integer(value)
                }
            }
        }
        guard let tokens else { return }
        writer.array("tokens", tokens) { writer, token in
            writer.object { writer in
                writer.member("id", token.id.text)
                writer.member("label", token.label)
                writer.member("made", token.made?.text)
                writer.member("expires", token.expires?.text)
                writer.member("last_used", token.lastUsed?.text)
            }
        }
    }
}
