/// The bridge between JSON and Swift's `Codable`.
///
/// It behaves like any Codable coder, with three exceptions.
///
/// **Enums** are written by the name of their case, wherever they stand:
/// - a case without values is `"coin"`, and `{"type":"coin"}` is read as well;
/// - labelled values become members: `{"type":"add","amount":5}`;
/// - a single value without a label is the member `value`, unless a label has that name; of
///   several, each keeps the name Swift gives it, `_0`, `_1`, by its place in the case;
/// - a label `type` is refused in both directions.
///
/// This holds for enums whose coding Swift writes. Enums with a raw value keep it. An enum that
/// codes itself by hand may use any container; but if its only request is a nested container for a
/// key of an enum, that key is the case. If it has a member `type` of its own, which could be taken
/// for the name of a case, the encoder reads the value back, and refuses it if that fails. A type
/// that isn't an enum and passes its coder on to one should use a single value container, or the
/// result is Swift's own form.
///
/// **Order**: members are written in the order in which they are encoded, those of a dictionary by
/// the bytes of their names, and the elements of a set or of a dictionary with other keys by the
/// bytes of their text. So equal values make equal bytes, in every process.
///
/// **Strictness**: nothing is converted. `true` is no integer, `5.0` is no `Int`, `"5"` is no
/// number. A number that doesn't fit its type is an error. So is writing a number that a reader of
/// I-JSON (RFC 7493) wouldn't get back: infinity, "not a number", and integers beyond
/// ±(2^53 − 1). Unknown members are ignored, a missing member is `nil` for an optional.
///
/// The coders recurse as deeply as the value is nested. For reading, the document's depth limit is
/// the bound; for writing, 256 open values.
public enum JSONCoding {
    /// Decodes the value at `node`.
    ///
    /// - Throws: ``JSONDecodingError``, whose path begins at the document's root.
    public static func decode<T: Decodable>(
        _ type: T.Type, from document: JSONDocument, at node: JSONDocument.Node
    ) throws(JSONDecodingError) -> T {
        let state = DecodingState(document: document, root: node)
        do {
            return try state.decode(type, at: node)
        } catch {
            throw state.report(error)
        }
    }

    /// Decodes the whole document, and tells which members it has left.
    package static func decodeNoting<T: Decodable>(
        _ type: T.Type, from document: JSONDocument
    ) throws(JSONDecodingError) -> (value: T, left: LeftMembers) {
        let notes = ReadingNotes()
        let state = DecodingState(document: document, root: document.root, notes: notes)
        do {
            let value = try state.decode(type, at: document.root)
            return (value, LeftMembers(notes, in: document))
        } catch {
            throw state.report(error)
        }
    }

    /// Appends `value` to the text of `writer`.
    ///
    /// - Throws: ``JSONEncodingError``, whose path begins at `value`. The writer is unchanged then.
    @inlinable
    public static func encode<T: Encodable>(
        _ value: T, into writer: inout JSONWriter
    ) throws(JSONEncodingError) {
        if writeInteger(value, into: &writer) { return }
        var memory = EncodingMemory()
        try encodeAny(value, into: &writer, using: &memory)
    }

    /// Appends `value` to the text of `writer`, in memory of an earlier encoding.
    ///
    /// - Throws: ``JSONEncodingError``, whose path begins at `value`. The writer is unchanged then.
    @inlinable
    public static func encode<T: Encodable>(
        _ value: T, into writer: inout JSONWriter, using memory: inout EncodingMemory
    ) throws(JSONEncodingError) {
        if writeInteger(value, into: &writer) { return }
        try encodeAny(value, into: &writer, using: &memory)
    }

    /// Appends a value that is an `Int`, the most frequent one that is a whole text: it needs no
    /// memory. Inlined, so that it costs others nothing where their type is known.
    ///
    /// - Returns: Whether it was one that JSON carries exactly; others aren't written.
    @inlinable @inline(__always)
    static func writeInteger<T>(_ value: T, into writer: inout JSONWriter) -> Bool {
        // The types are compared first: a cast that fails is a search.
        guard T.self == Int.self, let value = value as? Int,
            Int64(value).magnitude <= JSONLimits.integerMax.magnitude
        else { return false }
        writer.integer(Int64(value))
        return true
    }

    @usableFromInline
    static func encodeAny<T: Encodable>(
        _ value: T, into writer: inout JSONWriter, using memory: inout EncodingMemory
    ) throws(JSONEncodingError) {
        let length = writer.bytes.count
        var state = memory.take()
        swap(&state.writer, &writer)
        do {
            try state.encodeTop(value)
        } catch {
            swap(&state.writer, &writer)
            writer.bytes.removeLast(writer.bytes.count - length)
            throw state.report(error)
        }
        swap(&state.writer, &writer)
        memory.keep(&state)
    }
}
