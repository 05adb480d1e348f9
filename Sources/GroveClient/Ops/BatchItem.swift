import OrderedJSON

/// One event of a batch: the fields of a `send`, without an id.
public struct BatchItem: Sendable {
    /// The item as JSON, one object.
    let text: [UInt8]
    /// Whether it has a dedup key; `nil` for JSON text, which isn't parsed.
    let hasKey: Bool?

    /// Makes an item for an instance.
    ///
    /// - Parameters:
    ///   - event: A string, or an object with a member `type`.
    ///   - dedup: A key of at most 200 bytes; a repeat of the batch applies an item with a key
    ///     once.
    ///   - expectation: The condition on the instance, else `VERSION_CONFLICT`.
    ///   - creation: Whether the event may create its instance; `nil` leaves it to the server.
    ///   - detail: The parts of the result.
    public init(
        to name: String, event: JSONValue, dedup: String? = nil,
        expect expectation: Expectation? = nil, create creation: CreationMode? = nil,
        reply detail: ReplyDetail = .min
    ) {
        let request = Request.send(
            to: name, event: event.serialized(), dedup: dedup, expect: expectation,
            create: creation, reply: detail)
        text = request.fieldsText
        hasKey = dedup != nil
    }

    /// Makes an item of JSON text, which is sent unchanged: one object without newlines, or the
    /// server refuses the line.
    public init(text: some Collection<UInt8>) {
        self.text = Array(text)
        hasKey = nil
    }

    private init(text: [UInt8], hasKey: Bool) {
        self.text = text
        self.hasKey = hasKey
    }

    func withKey(_ key: String) -> BatchItem {
        let member = Array(",\"dedup\":".utf8) + JSONValue.string(key).serialized()
        return BatchItem(text: text.dropLast() + member + [UInt8(ascii: "}")], hasKey: true)
    }
}
