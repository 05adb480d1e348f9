extension EncodingState {
    func write(_ value: Bool) { writer.bool(value) }

    func write(_ value: String) { writer.string(value) }

    func write(_ value: Double) throws {
        guard value.isFinite else { throw refusal("JSON can't say \(value)", value) }
        writer.double(value)
    }

    /// Writes the shortest text that reads back as this `Float`.
    func write(_ value: Float) throws {
        guard value.isFinite else { throw refusal("JSON can't say \(value)", value) }
        writer.raw(value.description.utf8)
    }

    func write<T: FixedWidthInteger>(_ value: T) throws {
        guard let integer = Int64(exactly: value),
            integer.magnitude <= JSONLimits.integerMax.magnitude
        else {
            throw refusal("an integer beyond ±(2^53 − 1) can't be written exactly", value)
        }
        writer.integer(integer)
    }

    /// Writes a whole JSON value.
    func write(_ value: JSONValue) throws {
        if let message = Self.fault(in: value) { throw refusal(message, value) }
        writer.value(value)
    }

    /// Removes the value that was begun last, and returns the error that says why.
    private func refusal(_ message: String, _ value: Any) -> EncodingError {
        let error = failure(message, value)
        removeLast()
        return error
    }

    /// The reason why `value` wouldn't be read back unchanged; nil if it would.
    private static func fault(in value: JSONValue) -> String? {
        var rest = [value]
        while let value = rest.popLast() {
            switch value {
            case .integer(let integer) where integer.magnitude > JSONLimits.integerMax.magnitude:
                return "an integer beyond ±(2^53 − 1) can't be written exactly"
            case .double(let double) where !double.isFinite: return "JSON can't say \(double)"
            case .array(let elements): rest.append(contentsOf: elements)
            case .object(let object): rest.append(contentsOf: object.members.lazy.map(\.value))
            default: break
            }
        }
        return nil
    }
}
