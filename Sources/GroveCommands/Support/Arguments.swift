import ArgumentParser
import GroveClient
import OrderedJSON

extension ServerAddress: ExpressibleByArgument {
    /// Reads the forms that ``ServerAddress/init(_:)`` knows.
    public init?(argument: String) { self.init(argument) }
}

extension CreationMode: ExpressibleByArgument {}
extension ReplyDetail: ExpressibleByArgument {}
extension Record.Kind: ExpressibleByArgument {}
extension EffectPhase: ExpressibleByArgument {}
extension Settling: ExpressibleByArgument {}

extension AwaitCondition: ExpressibleByArgument {
    /// Reads `done`, or the name of a state.
    public init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        self.init(argument)
    }

    /// The condition as it is given.
    public var defaultValueDescription: String { text }
}

/// JSON on the command line.
struct JSONText: ExpressibleByArgument {
    let value: JSONValue

    init?(argument: String) {
        // The parser names the argument and shows it; a place within it says no more.
        guard let value = try? JSONValue(parsing: Array(argument.utf8)) else { return nil }
        self.value = value
    }
}

/// A length of time on the command line: `10`, `10s`, `500ms`, `2m`, `1h`; a bare number is
/// seconds.
struct TimeSpan: ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration
    let description: String

    init?(argument: String) {
        let units: [(suffix: String, seconds: Double)] = [
            ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1),
        ]
        guard let unit = units.first(where: { argument.hasSuffix($0.suffix) }),
            let number = Double(argument.dropLast(unit.suffix.count)),
            number > 0, number * unit.seconds < 1e9
        else { return nil }
        duration = .milliseconds(Int64((number * unit.seconds * 1000).rounded(.up)))
        description = argument
    }

    var defaultValueDescription: String { description }

    /// A span in whole seconds, for defaults.
    init(seconds: Int) {
        duration = .seconds(seconds)
        description = "\(seconds)s"
    }
}

extension Expectation: ExpressibleByArgument {
    /// Reads a version, `absent` or `exists`.
    public init?(argument: String) {
        switch argument {
        case "absent": self = .absent
        case "exists": self = .exists
        default:
            guard let version = Int64(argument), version >= 0 else { return nil }
            self = .version(version)
        }
    }
}

/// An event on the command line or a line of standard input: JSON, or a bare word, which is sent
/// as a string.
struct EventText {
    /// The event as JSON without newlines.
    let bytes: [UInt8]

    /// - Throws: `ValidationError` when the text is neither a word nor a JSON string or object.
    init(_ text: String) throws(ValidationError) {
        let isJSON = ["{", "\"", "["].contains { text.drop(while: \.isWhitespace).hasPrefix($0) }
        if isJSON {
            let document: JSONDocument
            do throws(JSONError) {
                document = try JSONDocument(parsing: Array(text.utf8))
            } catch {
                throw ValidationError("The event is no valid JSON: \(error)")
            }
            guard document.kind(document.root) != .array else {
                throw ValidationError("An event is a JSON string or object, not an array.")
            }
            // A newline can only be white space in valid JSON, and would end the line.
            bytes = document.text(document.root).map { $0 < 0x20 ? 0x20 : $0 }
            return
        }
        guard !text.isEmpty, !text.contains(where: { $0.isWhitespace || $0.isNewline }) else {
            throw ValidationError("An event is one word, or JSON such as '{\"type\":\"add\"}'.")
        }
        bytes = JSONValue.string(text).serialized()
    }
}
