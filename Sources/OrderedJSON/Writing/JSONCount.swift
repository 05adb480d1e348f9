/// The number of values in a text, as ``JSONLimits/valuesMax`` counts them.
package enum JSONCount {
    /// Whether a text has more than `max` values: `[]` has one, `[5,{"a":6}]` has four.
    ///
    /// - Parameters:
    ///   - json: JSON; for any other text the answer is meaningless.
    ///   - max: The allowed number.
    package static func exceeds(_ max: Int, in json: [UInt8]) -> Bool {
        // Each value has a byte of its own and one that separates or ends it.
        guard json.count >= 2 * max else { return false }
        return json.withUnsafeBufferPointer { count(of: $0) > max }
    }

    /// One value, one more after every comma, and the first one of every container that has any.
    private static func count(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 1
        var isInString = false
        var isOpened = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                isInString = byte != UInt8(ascii: "\"")
                continue
            }
            if byte <= UInt8(ascii: " ") { continue }
            let isEnd = byte | 0x20 == UInt8(ascii: "}")
            if byte == UInt8(ascii: ",") || (isOpened && !isEnd) { count += 1 }
            isOpened = byte | 0x20 == UInt8(ascii: "{")
            isInString = byte == UInt8(ascii: "\"")
        }
        return count
    }
}
