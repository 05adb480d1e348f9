import OrderedJSON

/// The event of a migration in an instance's history. No client can send it.
enum MigrationEvent {
    static func text(from former: String, to version: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", "$migrate")
            writer.member("from", former)
            writer.member("to", version)
        }
        return writer.bytes
    }

    /// Whether a step's event is one.
    static func isOne(_ event: [UInt8]) -> Bool {
        event.starts(with: Array(#"{"type":"$migrate""#.utf8))
    }
}
