import GroveWire

/// Reads the text of one grant, byte by byte.
///
/// It is strict, because a grant that is read otherwise than its author meant gives rights away:
/// one blank between the parts and none within them, no word twice.
struct GrantReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func grant() throws(GrantTextError) -> Grant {
        guard bytes.count <= Grant.textBytesMax else {
            throw GrantTextError(
                at: Grant.textBytesMax,
                "a grant has at most \(Grant.textBytesMax) bytes: write several")
        }
        let verbs = try verbs()
        let types = try eventTypes(for: verbs)
        guard take(" ") else {
            throw fault("a blank and machine/instance follow, as in 'read order/*'")
        }
        let machineStart = position
        let machine = try machine()
        let instanceStart = position
        let instance = try instance()
        try checkReach(verbs, machine, instance, at: (machineStart, instanceStart))
        return Grant(
            verbs: verbs, eventTypes: types, machine: Glob(machine), instance: instance)
    }

    // MARK: verbs

    private mutating func verbs() throws(GrantTextError) -> VerbSet {
        var verbs: VerbSet = []
        repeat {
            let start = position
            let word = word { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
            guard let verb = Verb(rawValue: word) else {
                throw GrantTextError(at: start, unknown(word))
            }
            guard !verbs.contains(verb) else {
                throw GrantTextError(at: start, "\(word) stands here twice: write it once")
            }
            verbs.insert(VerbSet(verb))
        } while take(",")
        return verbs
    }

    private func unknown(_ word: String) -> String {
        let all = Verb.allCases.map(\.rawValue).joined(separator: ", ")
        if word.isEmpty { return "a verb must stand here: \(all)" }
        return "'\(word)' is no verb: write one of \(all)"
    }

    // MARK: event types

    private mutating func eventTypes(for verbs: VerbSet) throws(GrantTextError) -> [Glob] {
        let start = position
        guard take("(") else { return [] }
        guard verbs == VerbSet(.send) else {
            throw GrantTextError(
                at: start,
                verbs.contains(.send)
                    ? "event types narrow only send: give the other verbs a grant of their own, "
                        + "as in 'send(place) order/*' and 'read order/*'"
                    : "event types narrow only send, as in 'send(place) order/*'")
        }
        var types: [String] = []
        repeat {
            let start = position
            let type = try eventType()
            guard !types.contains(where: { $0.utf8.elementsEqual(type.utf8) }) else {
                throw GrantTextError(at: start, "this event type stands here twice: write it once")
            }
            guard types.count < Grant.eventTypesMax else {
                throw GrantTextError(
                    at: start,
                    "a grant has at most \(Grant.eventTypesMax) event types: write several")
            }
            types.append(type)
        } while take(",")
        guard take(")") else {
            throw fault("a comma or ')' must follow the event type")
        }
        return types.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map(Glob.init)
    }

    private mutating func eventType() throws(GrantTextError) -> String {
        let start = position
        let type = word { byte in
            byte > 0x20 && byte != 0x7F && !",()".utf8.contains(byte)
        }
        guard !type.isEmpty else {
            throw fault("an event type must stand here, as in 'send(place,pay) order/*'")
        }
        guard position - start <= Grant.eventTypeBytesMax else {
            throw GrantTextError(
                at: start + Grant.eventTypeBytesMax,
                "an event type has at most \(Grant.eventTypeBytesMax) bytes: end it with '*'")
        }
        return Self.withSingleStars(type)
    }

    // MARK: names

    private mutating func machine() throws(GrantTextError) -> String {
        let start = position
        let text = word { Self.isMachineByte($0) }
        guard let first = text.utf8.first else {
            throw fault(
                next == UInt8(ascii: "{")
                    ? "\(Grant.placeholder) can stand only in the instance part"
                    : "a machine's name or a pattern must stand here, as in 'read order/*'")
        }
        if "0123456789_.-".utf8.contains(first) {
            throw GrantTextError(at: start, "a machine's name begins with a letter")
        }
        guard take("/") else {
            throw fault(
                next == nil
                    ? "'/' and the instances must follow: write '\(text)/*' for all"
                    : next == UInt8(ascii: "{")
                        ? "\(Grant.placeholder) can stand only in the instance part"
                        : "no machine's name has this byte")
        }
        guard text.utf8.count <= Grant.machineBytesMax else {
            throw GrantTextError(
                at: start + Grant.machineBytesMax,
                "a machine's name has at most \(Grant.machineBytesMax) bytes")
        }
        return Self.withSingleStars(text)
    }

    private mutating func instance() throws(GrantTextError) -> String {
        let start = position
        var text = ""
        while let byte = next {
            if byte == UInt8(ascii: "{") {
                guard bytes[position...].starts(with: Grant.placeholder.utf8) else {
                    throw fault("braces stand only in \(Grant.placeholder)")
                }
                position += Grant.placeholder.utf8.count
                text += Grant.placeholder
            } else if Self.isInstanceByte(byte) {
                position += 1
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                throw fault(
                    byte == UInt8(ascii: " ")
                        ? "nothing may follow the instance part: write one grant at a time"
                        : "no instance's name has this byte")
            }
        }
        guard !text.isEmpty else {
            throw fault("an instance's name or a pattern must stand here: write '*' for all")
        }
        guard position - start <= Grant.instanceBytesMax else {
            throw GrantTextError(
                at: start + Grant.instanceBytesMax,
                "an instance's name has at most \(Grant.instanceBytesMax) bytes")
        }
        return Self.withSingleStars(text)
    }

    /// Refuses parts of names that a verb doesn't look at: they would seem to narrow it.
    private func checkReach(
        _ verbs: VerbSet, _ machine: String, _ instance: String,
        at starts: (machine: Int, instance: Int)
    ) throws(GrantTextError) {
        if verbs.contains(.admin), machine != "*" || instance != "*" {
            throw GrantTextError(
                at: starts.machine, "admin is about the whole server: write 'admin */*'")
        }
        if verbs.contains(.define), instance != "*" {
            throw GrantTextError(
                at: starts.instance, "define is about machines: write 'define \(machine)/*'")
        }
    }

    // MARK: bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func fault(_ message: String) -> GrantTextError {
        GrantTextError(at: position, message)
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func word(_ belongs: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = next, belongs(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func withSingleStars(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where scalar != "*" || scalars.last != "*" {
            scalars.append(scalar)
        }
        return String(scalars)
    }

    private static func isMachineByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "_.-*?".utf8.contains(byte)
    }

    private static func isInstanceByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "._:@~+=,-*?".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
