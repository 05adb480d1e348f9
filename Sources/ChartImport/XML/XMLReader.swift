/// Reads XML 1.0 with namespaces, in UTF-8, within bounds.
///
/// There are no entities but the five of XML itself and numbers of characters: a document type may
/// be named, but it is neither read nor fetched, and one that declares something is refused.
struct XMLReader {
    let bytes: [UInt8]
    var index = 0
    private var elements = 0

    /// Reads a document.
    static func read(_ bytes: [UInt8]) throws(XMLFault) -> XMLElement {
        guard bytes.count <= ImportLimits.documentBytesMax else {
            throw XMLFault(
                offset: 0,
                message: "a document may have \(ImportLimits.documentBytesMax) bytes")
        }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            throw XMLFault(offset: 0, message: "the document is UTF-16: write it in UTF-8")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw XMLFault(offset: 0, message: "the document isn't UTF-8")
        }
        if let control = bytes.firstIndex(where: { $0 < 0x20 && !isSpace($0) }) {
            throw XMLFault(offset: control, message: "XML has no control characters")
        }
        var reader = XMLReader(bytes: bytes)
        return try reader.document()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    // MARK: The document

    private mutating func document() throws(XMLFault) -> XMLElement {
        if starts(with: "<?xml"), index + 5 < bytes.count, Self.isSpace(bytes[index + 5]) {
            try declaration()
        }
        var hasType = false
        while true {
            skipSpaces()
            if starts(with: "<!DOCTYPE"), !hasType {
                hasType = true
                try documentType()
            } else if try !skipMisc() {
                break
            }
        }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else {
            throw fault("an element is expected here")
        }
        let scope = ["xml": "http://www.w3.org/XML/1998/namespace"]
        let root = try element(in: scope, level: 1)
        repeat { skipSpaces() } while try skipMisc()
        guard index == bytes.count else { throw fault("nothing follows the root element") }
        return root
    }

    private mutating func declaration() throws(XMLFault) {
        let start = index
        guard let end = find("?>") else { throw fault("'?>' is missing") }
        let text = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
        if let range = text.firstRange(of: "encoding") {
            let quoted = text[range.upperBound...].split(
                whereSeparator: { $0 == "\"" || $0 == "'" })
            let name = quoted.dropFirst().first ?? ""
            guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else {
                throw fault("the encoding \(name) isn't read: write the document in UTF-8")
            }
        }
        index = end + 2
    }

    private mutating func documentType() throws(XMLFault) {
        while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
            if bytes[index] == UInt8(ascii: "[") {
                throw fault("a document type that declares something isn't read")
            }
            index += 1
        }
        try expect(">")
    }

    /// Skips a comment or a processing instruction; returns whether there was one.
    private mutating func skipMisc() throws(XMLFault) -> Bool {
        if starts(with: "<!--") {
            index += 4
            guard let end = find("-->") else { throw fault("a comment doesn't end") }
            index = end + 3
            return true
        }
        guard starts(with: "<?") else { return false }
        guard let end = find("?>") else { throw fault("'?>' is missing") }
        index = end + 2
        return true
    }

    // MARK: Elements

    private mutating func element(
        in outer: [String: String], level: Int
    ) throws(XMLFault) -> XMLElement {
        guard level <= ImportLimits.levelsMax else {
            throw fault("elements may be nested \(ImportLimits.levelsMax) deep")
        }
        elements += 1
        guard elements <= ImportLimits.elementsMax else {
            throw fault("a document may have \(ImportLimits.elementsMax) elements")
        }
        let start = index
        index += 1
        let name = try self.name()
        let (attributes, scope) = try attributes(in: outer)
        let (prefix, local) = Self.split(name)
        if !prefix.isEmpty, scope[prefix] == nil {
            throw XMLFault(offset: start, message: "the prefix '\(prefix)' isn't declared")
        }
        let space = scope[prefix].flatMap { $0.isEmpty ? nil : $0 }
        var result = XMLElement(
            name: local, namespace: space, offset: start, attributes: attributes)
        if starts(with: "/>") {
            index += 2
            return result
        }
        try expect(">")
        result.content = try content(in: scope, level: level)
        let close = index
        index += 2
        guard try self.name() == name else {
            throw XMLFault(offset: close, message: "'</\(name)>' is expected here")
        }
        skipSpaces()
        try expect(">")
        return result
    }

    /// Reads up to `</`.
    private mutating func content(
        in scope: [String: String], level: Int
    ) throws(XMLFault) -> [XMLElement.Content] {
        var result: [XMLElement.Content] = []
        var text = XMLText()
        while true {
            guard index < bytes.count else { throw fault("an element isn't closed") }
            if bytes[index] != UInt8(ascii: "<") {
                try character(into: &text, inAttribute: false)
            } else if starts(with: "</") {
                if !text.bytes.isEmpty { result.append(.text(text)) }
                return result
            } else if starts(with: "<![CDATA[") {
                index += 9
                guard let end = find("]]>") else { throw fault("a CDATA section doesn't end") }
                text.append(bytes[index..<end], from: index)
                index = end + 3
            } else if try !skipMisc() {
                if !text.bytes.isEmpty { result.append(.text(text)) }
                text = XMLText()
                result.append(.element(try element(in: scope, level: level + 1)))
            }
        }
    }

    private mutating func attributes(
        in outer: [String: String]
    ) throws(XMLFault) -> ([XMLElement.Attribute], [String: String]) {
        var scope = outer
        var found: [(name: String, value: XMLText, offset: Int)] = []
        while true {
            let hadSpace = index < bytes.count && Self.isSpace(bytes[index])
            skipSpaces()
            guard index < bytes.count else { throw fault("an element isn't closed") }
            if bytes[index] == UInt8(ascii: ">") || starts(with: "/>") { break }
            guard hadSpace else { throw fault("a blank is expected before an attribute") }
            let offset = index
            let name = try self.name()
            skipSpaces()
            try expect("=")
            skipSpaces()
            let value = try quoted()
            guard !found.contains(where: { $0.name == name }) else {
                throw XMLFault(offset: offset, message: "the attribute '\(name)' is repeated")
            }
            guard found.count < ImportLimits.attributesMax else {
                throw fault("an element may have \(ImportLimits.attributesMax) attributes")
            }
            found.append((name, value, offset))
            if name == "xmlns" { scope[""] = value.string }
            if name.hasPrefix("xmlns:") { scope[String(name.dropFirst(6))] = value.string }
        }
        var result: [XMLElement.Attribute] = []
        for (name, value, offset) in found where name != "xmlns" && !name.hasPrefix("xmlns:") {
            let (prefix, local) = Self.split(name)
            if !prefix.isEmpty, scope[prefix] == nil {
                throw XMLFault(offset: offset, message: "the prefix '\(prefix)' isn't declared")
            }
            result.append(
                .init(
                    name: local, namespace: prefix.isEmpty ? nil : scope[prefix], value: value,
                    offset: offset))
        }
        return (result, scope)
    }

    private mutating func quoted() throws(XMLFault) -> XMLText {
        guard index < bytes.count, bytes[index] == 0x22 || bytes[index] == 0x27 else {
            throw fault("a quote is expected here")
        }
        let quote = bytes[index]
        index += 1
        var text = XMLText()
        while true {
            guard index < bytes.count else { throw fault("a quote is missing") }
            if bytes[index] == quote { break }
            guard bytes[index] != UInt8(ascii: "<") else {
                throw fault("'<' is written &lt; in an attribute")
            }
            try character(into: &text, inAttribute: true)
        }
        index += 1
        return text
    }

    private static func split(_ name: String) -> (prefix: String, local: String) {
        let parts = name.split(separator: ":", maxSplits: 1)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : ("", name)
    }

    // MARK: Characters

    /// Reads a byte or a reference. Ends of lines become `\n`, and in attributes a blank.
    private mutating func character(
        into text: inout XMLText, inAttribute: Bool
    ) throws(XMLFault) {
        let start = index
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "&"): text.append(try reference(), from: start)
        case 0x0D:
            if index < bytes.count, bytes[index] == 0x0A { index += 1 }
            text.append([inAttribute ? 0x20 : 0x0A], from: start)
        case 0x0A, 0x09: text.append([inAttribute ? 0x20 : byte], from: start)
        default: text.append(CollectionOfOne(byte), from: start)
        }
    }

    private mutating func reference() throws(XMLFault) -> [UInt8] {
        let start = index - 1
        guard let end = bytes[index...].prefix(32).firstIndex(of: UInt8(ascii: ";")) else {
            throw XMLFault(offset: start, message: "'&' is written &amp;")
        }
        let name = String(decoding: bytes[index..<end], as: UTF8.self)
        index = end + 1
        switch name {
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "amp": return [UInt8(ascii: "&")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default: break
        }
        guard name.hasPrefix("#") else {
            throw XMLFault(
                offset: start, message: "the entity '\(name)' isn't one of XML itself")
        }
        let isHex = name.hasPrefix("#x")
        guard let number = UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10),
            number >= 0x20 || number == 9 || number == 10 || number == 13,
            let scalar = Unicode.Scalar(number)
        else { throw XMLFault(offset: start, message: "'&\(name);' is no character") }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func name() throws(XMLFault) -> String {
        let start = index
        while index < bytes.count, Self.isNameByte(bytes[index]) { index += 1 }
        guard index > start, !(0x2D...0x39 ~= bytes[start]) else {
            throw XMLFault(offset: start, message: "a name is expected here")
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x3A, 0x2D, 0x2E, 0x5F, 0x80...: true
        default: false
        }
    }

    // MARK: Small steps

    private mutating func skipSpaces() {
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    }

    private func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[index + $0] == text.utf8Start[$0] }
    }

    /// The first place of a text from here on.
    private func find(_ text: StaticString) -> Int? {
        var probe = self
        let first = text.utf8Start[0]
        while let next = probe.bytes[probe.index...].firstIndex(of: first) {
            probe.index = next
            if probe.starts(with: text) { return next }
            probe.index += 1
        }
        return nil
    }

    private mutating func expect(_ text: StaticString) throws(XMLFault) {
        guard starts(with: text) else { throw fault("'\(text)' is expected here") }
        index += text.utf8CodeUnitCount
    }

    private func fault(_ message: String) -> XMLFault { XMLFault(offset: index, message: message) }
}
