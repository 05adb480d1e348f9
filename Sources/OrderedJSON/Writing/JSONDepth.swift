/// The depth of nested arrays and objects in a text.
public enum JSONDepth {
    /// Whether more than `max` arrays and objects are open at once anywhere in a text: `[]` has
    /// depth 1, `5` has depth 0.
    ///
    /// - Parameters:
    ///   - json: JSON; for any other text the answer is meaningless.
    ///   - max: The allowed depth.
    public static func exceeds(_ max: Int, in json: [UInt8]) -> Bool {
        // A text of few bytes, or with few brackets, can't be that deep.
        guard json.count > 2 * max else { return false }
        return json.withUnsafeBufferPointer { bytes in
            var brackets = 0
            for byte in bytes where byte | 0x20 == UInt8(ascii: "{") { brackets += 1 }
            return brackets > max && depth(of: bytes) > max
        }
    }

    private static func depth(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var (depth, deepest) = (0, 0)
        var isInString = false
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if !isInString {
                    depth += 1
                    deepest = Swift.max(deepest, depth)
                }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if !isInString { depth -= 1 }
            default: break
            }
            index += 1
        }
        return deepest
    }
}
