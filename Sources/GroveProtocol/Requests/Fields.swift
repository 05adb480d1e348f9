import OrderedJSON

/// The members of a request that most requests have, found in one pass.
struct Fields {
    var id: JSONDocument.Node?
    var op: JSONDocument.Node?
    var to: JSONDocument.Node?
    var event: JSONDocument.Node?
    var dedup: JSONDocument.Node?
    var expect: JSONDocument.Node?
    var create: JSONDocument.Node?
    var reply: JSONDocument.Node?
    var settle: JSONDocument.Node?
    var timeout: JSONDocument.Node?
    var jsonrpc: JSONDocument.Node?
    var traceparent: JSONDocument.Node?

    /// Finds them in an object; a value of another kind has none.
    init(
        _ document: JSONDocument, of object: JSONDocument.Node, _ line: UnsafeRawBufferPointer
    ) {
        for (name, value) in document.members(of: object) {
            let range = document.range(name)
            // With the quotes. A name with escapes is longer, but may still be one of these: the
            // default finds it.
            switch (range.count, line[range.lowerBound + 1]) {
            case (4, UInt8(ascii: "i")) where document.stringEquals(name, "id"): id = value
            case (4, UInt8(ascii: "o")) where document.stringEquals(name, "op"): op = value
            case (4, UInt8(ascii: "t")) where document.stringEquals(name, "to"): to = value
            case (7, UInt8(ascii: "e")) where document.stringEquals(name, "event"):
                event = value
            case (7, UInt8(ascii: "d")) where document.stringEquals(name, "dedup"):
                dedup = value
            case (7, UInt8(ascii: "r")) where document.stringEquals(name, "reply"):
                reply = value
            case (8, UInt8(ascii: "e")) where document.stringEquals(name, "expect"):
                expect = value
            default: setRare(document, name, value)
            }
        }
    }

    private mutating func setRare(
        _ document: JSONDocument, _ name: JSONDocument.Node, _ value: JSONDocument.Node
    ) {
        document.withStringBytes(name) { bytes in
            func isName(_ text: StaticString) -> Bool {
                text.withUTF8Buffer { bytes.elementsEqual($0) }
            }
            if isName("create") {
                create = value
            } else if isName("settle") {
                settle = value
            } else if isName("timeout_ms") {
                timeout = value
            } else if isName("traceparent") {
                traceparent = value
            } else if isName("jsonrpc") {
                jsonrpc = value
            } else if isName("id") {
                id = value
            } else if isName("op") {
                op = value
            } else if isName("to") {
                to = value
            } else if isName("event") {
                event = value
            } else if isName("dedup") {
                dedup = value
            } else if isName("reply") {
                reply = value
            } else if isName("expect") {
                expect = value
            }
        }
    }
}
