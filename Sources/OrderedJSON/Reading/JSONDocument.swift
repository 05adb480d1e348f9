/// A parsed text: its own copy of the bytes and a flat tape of nodes.
///
/// Reading is strict: the grammar of RFC 8259 and nothing more, valid UTF-8 without a byte order
/// mark, no lone surrogates, distinct member names, finite numbers, and the given limits. The
/// outermost value may be of any kind. Values are converted only on request, so scanning a line
/// costs little. Parsing into a document again allocates only to grow it.
///
/// A ``Node`` is valid for the document that returned it, until the next ``parse(_:limits:)``.
/// Using it elsewhere stops the program or returns another node's value, but never reads memory
/// outside the document. A document without a text, because it is new or because parsing failed,
/// has no nodes: reading its ``root`` stops the program.
public struct JSONDocument: Sendable {
    /// The most bytes any text may have, 2^28 − 1: offsets and counts are packed into the tape.
    public static let textBytesCeiling = (1 << 28) - 1

    /// A value or a member name of one document: an index into its tape.
    @frozen
    public struct Node: Hashable, Sendable {
        @usableFromInline let index: UInt32

        @inlinable
        init(_ index: Int) { self.index = UInt32(truncatingIfNeeded: index) }
    }

    /// The kind of a value. A number without fraction and exponent within ±(2^53 − 1) is an
    /// `integer`; every other number is a `double`.
    @frozen
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool
        /// A number that is read exactly, as an `Int64`.
        case integer
        /// Any other number, read as the nearest finite double.
        case double
        /// A string; member names are of this kind too.
        case string
        /// An array.
        case array
        /// An object.
        case object
    }

    /// The text and at least ``Scanner/padding`` zeros; may be longer after earlier use.
    @usableFromInline var bytes: [UInt8] = []
    /// The nodes and room for more.
    @usableFromInline var tape: [TapeEntry] = []
    /// The number of tape entries that are nodes of this text.
    @usableFromInline var nodes = 0
    /// The number of bytes of the text.
    private var length = 0

    /// A document without a text.
    public init() {}

    /// Parses `bytes`, which must be one value with optional white space around it.
    ///
    /// - Throws: ``JSONError`` with the offset of the first fault.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        self.init()
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try parse(UnsafeRawBufferPointer(buffer), limits: limits)
        }
    }

    /// Parses another text into this document, which keeps its capacity: once that suffices,
    /// nothing is allocated. The bytes are copied; all earlier nodes become invalid.
    ///
    /// - Throws: ``JSONError`` with the offset of the first fault. The document has no text then.
    public mutating func parse(
        _ source: UnsafeRawBufferPointer, limits: JSONLimits = .standard
    ) throws(JSONError) {
        nodes = 0
        let bytesMax = min(limits.bytesMax, Self.textBytesCeiling)
        guard source.count <= bytesMax else {
            throw JSONError(offset: bytesMax, reason: .tooLong)
        }
        copy(source)
        if tape.isEmpty { grow() }
        nodes = try scan(limits)
    }

    private mutating func copy(_ source: UnsafeRawBufferPointer) {
        length = source.count
        let needed = length + Scanner.padding
        if bytes.count < needed {
            bytes = [UInt8](repeating: 0, count: max(needed, 2 * bytes.count, 256))
        }
        bytes.withUnsafeMutableBytes { target in
            target.copyBytes(from: source)
            for index in length..<needed { target[index] = 0 }
        }
    }

    private mutating func grow() {
        guard !tape.isEmpty else {
            // Filled at once: an append of a repeated element is a call for each.
            tape = [TapeEntry](repeating: .zero, count: 64)
            return
        }
        tape.append(contentsOf: [TapeEntry](repeating: .zero, count: tape.count))
    }

    /// Runs the scanner over the bytes, with a tape twice as long each time it is full.
    private mutating func scan(_ limits: JSONLimits) throws(JSONError) -> Int {
        var state: Scanner?
        while true {
            let finished = try bytes.withUnsafeBufferPointer {
                (text) throws(JSONError) -> Int? in
                try tape.withUnsafeMutableBufferPointer { (tape) throws(JSONError) -> Int? in
                    guard let text = text.baseAddress, let entries = tape.baseAddress else {
                        preconditionFailure("bytes and tape have room before scanning")
                    }
                    var scanner =
                        state
                        ?? Scanner(
                            text: text, length: length, tape: entries, capacity: tape.count,
                            limits: limits)
                    scanner.text = text
                    scanner.tape = entries
                    scanner.capacity = tape.count
                    if try scanner.run() { return scanner.nodes }
                    state = scanner
                    return nil
                }
            }
            if let finished { return finished }
            grow()
        }
    }

    /// The outermost value.
    @inlinable
    public var root: Node {
        precondition(nodes > 0, "the document holds no text")
        return Node(0)
    }

    @inlinable
    func entry(_ node: Node) -> TapeEntry {
        precondition(Int(node.index) < nodes, "the node belongs to another document")
        return tape[Int(node.index)]
    }

    /// The kind of `node`.
    @inlinable
    public func kind(_ node: Node) -> Kind {
        Kind(rawValue: entry(node).kindBits).unsafelyUnwrapped
    }

    /// The truth value; nil if `node` is no bool.
    @inlinable
    public func bool(_ node: Node) -> Bool? {
        let entry = entry(node)
        return entry.kindBits == Kind.bool.rawValue ? entry.isFlagged : nil
    }

    /// The integer, within ±(2^53 − 1); nil if `node` isn't of kind ``Kind/integer``. `5.0` and
    /// `5e0` are doubles.
    public func integer(_ node: Node) -> Int64? {
        let entry = entry(node)
        guard entry.kindBits == Kind.integer.rawValue else { return nil }
        var value: Int64 = 0
        var isNegative = false
        for index in Int(entry.start)..<Int(entry.end) {
            let byte = bytes[index]
            if byte == UInt8(ascii: "-") {
                isNegative = true
            } else {
                value = value &* 10 &+ Int64(byte & 15)
            }
        }
        return isNegative ? -value : value
    }

    /// The number as the nearest double, always finite; nil if `node` is no number.
    public func double(_ node: Node) -> Double? {
        if let integer = integer(node) { return Double(integer) }
        let entry = entry(node)
        guard entry.kindBits == Kind.double.rawValue else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            DecimalText(
                UnsafeBufferPointer(rebasing: bytes[Int(entry.start)..<Int(entry.end)])
            ).double
        }
    }

    /// The value's byte offsets in the text, from 0; of a string with its quotes, of a container
    /// with its brackets.
    @inlinable
    public func range(_ node: Node) -> Range<Int> {
        let entry = entry(node)
        return Int(entry.start)..<Int(entry.end)
    }

    /// The value's bytes, unchanged, with inner white space and escapes.
    @inlinable
    public func text(_ node: Node) -> [UInt8] {
        Array(bytes[range(node)])
    }

    /// The number of an array's elements or an object's members; 0 for any other value.
    @inlinable
    public func count(_ node: Node) -> Int {
        entry(node).count
    }
}
