import OrderedJSON

extension JSONDocument {
    /// Reads the text in an array.
    mutating func parse(_ text: [UInt8], limits: JSONLimits) throws(JSONError) {
        try text.withUnsafeBufferPointer { (bytes) throws(JSONError) in
            try parse(UnsafeRawBufferPointer(bytes), limits: limits)
        }
    }
}
