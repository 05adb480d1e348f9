/// The strict reader: one pass over the bytes, one tape entry per node, no recursion and no
/// allocation.
///
/// This file accesses memory through pointers without a check at every step. No access leaves its
/// bounds for these reasons.
/// - `text` points at `length` bytes followed by at least ``padding`` zero bytes. The position
///   `at` never passes `length`: it only moves over a byte that was compared with something other
///   than zero, and `text[length]` is zero, which no rule accepts. A load of eight bytes at
///   `at ≤ length` ends before `length + 8`; so does a read at most four bytes ahead.
/// - `tape` has room for `capacity` entries. ``run()`` continues only while `nodes + 2 ≤ capacity`
///   (a name and its value, or one value), and otherwise returns for more room.
/// - `container` is `TapeEntry.none` or the index of an entry already written.
///
/// Offsets fit 32 bits and counts 27, because a text has at most
/// ``JSONDocument/textBytesCeiling`` bytes.
struct Scanner {
    /// Zero bytes that must follow the text.
    static let padding = 8

    /// The token that may come next.
    enum Step { case value, name, after }

    var text: UnsafePointer<UInt8>
    var tape: UnsafeMutablePointer<TapeEntry>
    var capacity: Int
    let length: Int
    let depthMax: Int
    let valuesMax: Int

    var at = 0
    var nodes = 0
    var values = 0
    var depth = 0
    var container = TapeEntry.none
    var isObject = false
    var step = Step.value

    /// A scanner at the beginning of `length` bytes.
    init(
        text: UnsafePointer<UInt8>, length: Int, tape: UnsafeMutablePointer<TapeEntry>,
        capacity: Int, limits: JSONLimits
    ) {
        self.text = text
        self.length = length
        self.tape = tape
        self.capacity = capacity
        depthMax = limits.depthMax
        valuesMax = limits.valuesMax
    }

    /// Reads until the text ends (true) or the tape is full (false). A full tape must be replaced
    /// by a larger one with the same entries before the next call.
    mutating func run() throws(JSONError) -> Bool {
        while true {
            skipSpace()
            switch step {
            case .after:
                if container == TapeEntry.none {
                    guard at == length else { throw fault(.textAfterValue) }
                    return true
                }
                try afterValue()
            case .name:
                guard nodes + 2 <= capacity else { return false }
                try name()
            case .value:
                guard nodes + 2 <= capacity else { return false }
                try value()
            }
        }
    }

    // MARK: Structure

    @inline(__always)
    private mutating func skipSpace() {
        var byte = text[at]
        while byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            at += 1
            byte = text[at]
        }
    }

    /// A comma, or the bracket that closes the innermost container.
    @inline(__always)
    private mutating func afterValue() throws(JSONError) {
        let byte = text[at]
        if byte == UInt8(ascii: ",") {
            at += 1
            step = isObject ? .name : .value
        } else if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            at += 1
            try close()
        } else {
            throw fault(.commaOrEndExpected)
        }
    }

    /// A member name and its colon.
    @inline(__always)
    private mutating func name() throws(JSONError) {
        guard text[at] == UInt8(ascii: "\"") else { throw fault(.nameExpected) }
        try string()
        skipSpace()
        guard text[at] == UInt8(ascii: ":") else { throw fault(.colonExpected) }
        at += 1
        step = .value
    }

    @inline(__always)
    private mutating func value() throws(JSONError) {
        values += 1
        guard values <= valuesMax else { throw fault(.tooManyValues) }
        if container != TapeEntry.none { tape[Int(container)].bits &+= TapeEntry.one }
        step = .after
        switch text[at] {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "{"): try open(object: true)
        case UInt8(ascii: "["): try open(object: false)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "t"): try word("true", .bool, flag: TapeEntry.flag)
        case UInt8(ascii: "f"): try word("false", .bool, flag: 0)
        case UInt8(ascii: "n"): try word("null", .null, flag: 0)
        default: throw fault(isMarkAtStart ? .byteOrderMark : .valueExpected)
        }
    }

    /// Opens an array or object; an empty one closes at once.
    private mutating func open(object: Bool) throws(JSONError) {
        guard depth < depthMax else { throw fault(.tooDeep) }
        depth += 1
        let kind = object ? JSONDocument.Kind.object : .array
        tape[nodes] = TapeEntry(
            start: UInt32(truncatingIfNeeded: at), end: 0, next: container,
            bits: UInt32(kind.rawValue))
        container = UInt32(truncatingIfNeeded: nodes)
        isObject = object
        nodes += 1
        at += 1
        skipSpace()
        if text[at] == (object ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            at += 1
            try close()
        } else {
            step = object ? .name : .value
        }
    }

    /// Closes the innermost container, whose bracket was just read.
    private mutating func close() throws(JSONError) {
        let closed = Int(container)
        let outer = tape[closed].next
        tape[closed].end = UInt32(truncatingIfNeeded: at)
        tape[closed].next = UInt32(truncatingIfNeeded: nodes)
        if isObject, tape[closed].bits >= 2 * TapeEntry.one {
            let names = NameCheck(text: text, tape: tape, object: closed)
            if let offset = names.repeatedName() {
                throw JSONError(offset: offset, reason: .duplicateName)
            }
        }
        container = outer
        isObject =
            outer != TapeEntry.none
            && tape[Int(outer)].kindBits == JSONDocument.Kind.object.rawValue
        depth -= 1
        step = .after
    }

    /// `true`, `false` or `null`; the scanner is at its first letter.
    private mutating func word(
        _ word: StaticString, _ kind: JSONDocument.Kind, flag: UInt32
    ) throws(JSONError) {
        let start = at
        let letters = word.utf8Start
        for index in 0..<word.utf8CodeUnitCount {
            guard text[at] == letters[index] else { throw fault(.valueExpected) }
            at += 1
        }
        append(kind, from: start, flag: flag)
    }

    @inline(__always)
    private mutating func append(_ kind: JSONDocument.Kind, from start: Int, flag: UInt32) {
        tape[nodes] = TapeEntry(
            start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: at),
            next: UInt32(truncatingIfNeeded: nodes &+ 1), bits: UInt32(kind.rawValue) | flag)
        nodes &+= 1
    }

    /// An error at the present position; at the end its reason is `endOfText`.
    @inline(never)
    private func fault(_ reason: JSONError.Reason) -> JSONError {
        JSONError(offset: at, reason: at >= length ? .endOfText : reason)
    }

    private var isMarkAtStart: Bool {
        at == 0 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
    }

    // MARK: Strings

    /// A string; the scanner is at its opening quote. Eight bytes are tested together; the first
    /// that is a quote, a backslash, a control character or not ASCII ends the run.
    @inline(__always)
    private mutating func string() throws(JSONError) {
        let start = at
        var flag: UInt32 = 0
        at += 1
        while true {
            let hits = EightBytes.unusual(EightBytes.load(text + at))
            if hits == 0 {
                at += 8
                continue
            }
            at += hits.trailingZeroBitCount >> 3
            let byte = text[at]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                flag = TapeEntry.flag
                try escape()
            } else if byte >= 0x80 {
                try multibyte()
            } else {
                throw fault(.controlCharacter)
            }
        }
        at += 1
        append(.string, from: start, flag: flag)
    }

    /// One escape, or two that are the halves of one character.
    @inline(never)
    private mutating func escape() throws(JSONError) {
        let start = at
        at += 1
        switch text[at] {
        case UInt8(ascii: "u"):
            at += 1
            let unit = try hexUnit()
            guard unit & 0xF800 == 0xD800 else { return }
            guard unit < 0xDC00, text[at] == UInt8(ascii: "\\"), text[at + 1] == UInt8(ascii: "u")
            else { throw loneSurrogate(at: start) }
            at += 2
            let low = try hexUnit()
            guard low & 0xFC00 == 0xDC00 else { throw loneSurrogate(at: start) }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
        default:
            throw fault(.invalidEscape)
        }
    }

    private func loneSurrogate(at start: Int) -> JSONError {
        // Right after the first half, or after the backslash that may begin the second.
        let isCut = at >= length || (text[at] == UInt8(ascii: "\\") && at + 1 >= length)
        return JSONError(
            offset: isCut ? length : start, reason: isCut ? .endOfText : .loneSurrogate)
    }

    private mutating func hexUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = text[at].hexDigitValue else { throw fault(.invalidEscape) }
            unit = unit << 4 | digit
            at += 1
        }
        return unit
    }

    /// Characters beyond ASCII, until a byte below 0x80: the table of RFC 3629 section 4.
    @inline(never)
    private mutating func multibyte() throws(JSONError) {
        while text[at] >= 0x80 {
            let lead = text[at]
            let second = text[at + 1]
            let size: Int
            switch lead {
            case 0xC2...0xDF: size = second & 0xC0 == 0x80 ? 2 : 0
            case 0xE0: size = 0xA0...0xBF ~= second ? 3 : 0
            case 0xED: size = 0x80...0x9F ~= second ? 3 : 0
            case 0xE1...0xEF: size = second & 0xC0 == 0x80 ? 3 : 0
            case 0xF0: size = 0x90...0xBF ~= second ? 4 : 0
            case 0xF4: size = 0x80...0x8F ~= second ? 4 : 0
            case 0xF1...0xF3: size = second & 0xC0 == 0x80 ? 4 : 0
            default: size = 0
            }
            guard size > 0 else { throw fault(.invalidUTF8) }
            if size > 2 {
                // A zero byte ends the text and is no continuation, so no read passes it.
                guard text[at + 2] & 0xC0 == 0x80, size == 3 || text[at + 3] & 0xC0 == 0x80
                else { throw fault(.invalidUTF8) }
            }
            at += size
        }
    }

    // MARK: Numbers

    /// A number; the scanner is at its minus or first digit.
    @inline(__always)
    private mutating func number() throws(JSONError) {
        let start = at
        if text[at] == UInt8(ascii: "-") { at += 1 }
        let digits = at
        if text[at] == UInt8(ascii: "0") {
            at += 1
            if isDigit(text[at]) { throw fault(.invalidNumber) }
        } else {
            guard isDigit(text[at]) else { throw fault(.invalidNumber) }
            repeat { at += 1 } while isDigit(text[at])
        }
        let byte = text[at]
        if byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") || at - digits > 15 {
            try uncommonNumber(from: start, digits: digits)
        } else {
            append(.integer, from: start, flag: 0)
        }
    }

    @inline(__always)
    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// The rest of a number with a fraction, an exponent or more than fifteen digits.
    @inline(never)
    private mutating func uncommonNumber(from start: Int, digits: Int) throws(JSONError) {
        var isInteger = true
        if text[at] == UInt8(ascii: ".") {
            isInteger = false
            at += 1
            try someDigits()
        }
        if text[at] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            at += 1
            if text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") { at += 1 }
            try someDigits()
        }
        let number = DecimalText(UnsafeBufferPointer(start: text + start, count: at - start))
        if isInteger, number.exactInteger != nil {
            append(.integer, from: start, flag: 0)
        } else if number.isFinite {
            append(.double, from: start, flag: 0)
        } else {
            throw JSONError(offset: start, reason: .numberOverflow)
        }
    }

    private mutating func someDigits() throws(JSONError) {
        guard isDigit(text[at]) else { throw fault(.invalidNumber) }
        repeat { at += 1 } while isDigit(text[at])
    }
}
