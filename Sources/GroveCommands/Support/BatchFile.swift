import ArgumentParser
import OrderedJSON

/// The events of a file, one per line, and the errors of the other lines.
struct BatchFile {
    /// An event and the number of its line, from 1.
    struct Item {
        let number: Int
        /// The instance; empty if the line names none.
        let instance: String
        let hasKey: Bool
        /// The fields of a send as one JSON object without newlines.
        let text: [UInt8]
    }

    private(set) var items: [Item] = []
    private(set) var broken: [(number: Int, reason: String)] = []

    /// Reads lines, without their newlines.
    ///
    /// - Parameter dedup: The beginning of every line's key; lines with their own key keep it.
    init(lines: [[UInt8]], dedup: String? = nil) {
        for (index, line) in lines.enumerated() {
            let number = index + 1
            let text = line.drop { $0 == 0x20 || $0 == 0x09 }
            guard let first = text.first, first != UInt8(ascii: "#"), text != [0x0D] else {
                continue
            }
            let key = dedup.map { "\($0)-\(number)" }
            do throws(ValidationError) {
                items.append(
                    first == UInt8(ascii: "{")
                        ? try Self.object(Array(text), key, number)
                        : try Self.words(text, key, number))
            } catch {
                broken.append((number, error.message))
            }
        }
    }

    /// Reads a line with the fields of a send.
    private static func object(
        _ line: [UInt8], _ key: String?, _ number: Int
    ) throws(ValidationError) -> Item {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: line)
        } catch {
            throw ValidationError("it is no valid JSON: \(error)")
        }
        for name in ["to", "event"] as [StaticString]
        where document.member(name, of: document.root) == nil {
            throw ValidationError("it has no \"\(name)\"")
        }
        var text = document.text(document.root).map { $0 < 0x20 ? 0x20 : $0 }
        let own = document.member("dedup", of: document.root)
        if let key, own == nil {
            text.removeLast()
            text += Array(",\"dedup\":".utf8) + JSONValue.string(key).serialized() + [0x7D]
        }
        let name = document.member("to", of: document.root).flatMap(document.string) ?? ""
        return Item(number: number, instance: name, hasKey: own != nil || key != nil, text: text)
    }

    /// Reads a line with an instance's name, white space, and an event.
    private static func words(
        _ line: ArraySlice<UInt8>, _ key: String?, _ number: Int
    ) throws(ValidationError) -> Item {
        guard let line = String(validating: line, as: UTF8.self) else {
            throw ValidationError("it is no UTF-8")
        }
        guard let end = line.firstIndex(where: \.isWhitespace) else {
            throw ValidationError("it has an instance and no event")
        }
        let name = String(line[..<end])
        guard name.contains("/") else {
            throw ValidationError("it doesn't begin with MACHINE/INSTANCE")
        }
        var event = line[end...].drop(while: \.isWhitespace)
        while event.last?.isWhitespace == true { event.removeLast() }
        let text = try EventText(String(event)).bytes
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("to", name)
            writer.member("event", json: text)
            writer.member("dedup", key)
        }
        return Item(number: number, instance: name, hasKey: key != nil, text: writer.bytes)
    }
}
