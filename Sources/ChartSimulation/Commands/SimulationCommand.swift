import CEL
import OrderedJSON
import Statecharts
import Transducers

/// A line of a simulation: an event, or a word after a dot.
enum SimulationCommand: Sendable {
    /// The settings of `.start`.
    struct Start: Sendable {
        var id = "main"
        /// A date that is easy to add to.
        var time = CELTimestamp(milliseconds: 1_767_225_600_000)
        var seed: UInt64 = 1
        var input = CELMap()
    }

    case event(ChartEvent, to: String?)
    case start(Start)
    /// Nil for the time until something is due.
    case wait(milliseconds: Int64?)
    case answer(invocation: String, CELValue)
    case fail(invocation: String, code: String, message: String)
    case state
    case next
    case undo
    case help
    case quit

    /// What can't be understood, in one sentence.
    struct Fault: Error {
        let message: String
    }

    /// The words after the dot, with what follows and what they do.
    static let words: [(word: String, usage: String, purpose: String)] = [
        ("start", ".start [JSON]", "start again; with id, time, seed and input of the context"),
        ("wait", ".wait [30m]", "let time pass; without a length, until something is due"),
        ("answer", ".answer ID [JSON]", "answer a request or a handler"),
        ("fail", ".fail ID [CODE [MESSAGE]]", "let a request or a handler fail"),
        ("to", ".to ADDRESS EVENT", "send an event to another instance"),
        ("state", ".state", "show the states of all instances"),
        ("next", ".next", "show what can happen: events, timers, answers"),
        ("undo", ".undo", "go back before the last command"),
        ("help", ".help", "show this list"),
        ("quit", ".quit", "end"),
    ]

    /// Reads a line.
    ///
    /// - Throws: ``Fault``.
    init(_ line: String) throws(Fault) {
        guard line.first == "." else {
            self = .event(try Self.event(line), to: nil)
            return
        }
        let (word, rest) = Self.split(line.dropFirst())
        switch word {
        case "start": self = .start(try Self.start(rest))
        case "wait": self = .wait(milliseconds: try Self.delay(rest))
        case "answer":
            let (id, value) = Self.split(rest)
            guard !id.isEmpty else { throw Self.misused(word) }
            self = .answer(
                invocation: String(id),
                value.isEmpty ? .null : CELValue(try Self.json(value)))
        case "fail":
            let (id, reason) = Self.split(rest)
            guard !id.isEmpty else { throw Self.misused(word) }
            let (code, message) = Self.split(reason)
            self = .fail(
                invocation: String(id), code: code.isEmpty ? "FAILED" : String(code),
                message: message.isEmpty ? "it failed" : String(message))
        case "to":
            let (address, event) = Self.split(rest)
            guard ChartAddress.isValid(String(address)), !event.isEmpty else {
                throw Self.misused(word)
            }
            self = .event(try Self.event(String(event)), to: String(address))
        case "state", "next", "undo", "help", "quit":
            guard rest.isEmpty else { throw Self.misused(word) }
            self = Self.plain(word)
        default:
            throw Fault(message: "there is no command '.\(word)'; .help shows all")
        }
    }

    private static func plain(_ word: Substring) -> SimulationCommand {
        switch word {
        case "state": .state
        case "next": .next
        case "undo": .undo
        case "help": .help
        default: .quit
        }
    }

    private static func misused(_ word: Substring) -> Fault {
        let usage = words.first { $0.word == word }?.usage ?? ".\(word)"
        return Fault(message: "write \(usage)")
    }

    /// The first word and what follows it.
    private static func split(_ text: Substring) -> (word: Substring, rest: Substring) {
        let trimmed = text.drop(while: \.isWhitespace)
        let word = trimmed.prefix { !$0.isWhitespace }
        return (word, trimmed.dropFirst(word.count).drop(while: \.isWhitespace))
    }

    // MARK: Parts

    /// An event: `PAY`, `PAY {"amount":5}`, or `{"type":"PAY","amount":5}`.
    private static func event(_ text: String) throws(Fault) -> ChartEvent {
        let json: JSONValue
        if text.first == "{" {
            json = try self.json(text[...])
        } else {
            let (type, rest) = split(text[...])
            var event: JSONObject = ["type": .string(String(type))]
            if !rest.isEmpty {
                guard let members = try self.json(rest).object else {
                    throw Fault(
                        message: "the members of an event are an object: "
                            + "\(type) {\"amount\":5}")
                }
                for member in members where member.name != "type" {
                    event[member.name] = member.value
                }
            }
            json = .object(event)
        }
        do throws(EventError) {
            return try ChartEvent(ofClient: json)
        } catch {
            throw Fault(message: "\(error.path): \(error.message)")
        }
    }

    private static func json(_ text: Substring) throws(Fault) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: Array(text.utf8))
        } catch {
            throw Fault(message: "'\(text.prefix(40))' is no JSON: \(error.message)")
        }
    }

    private static func delay(_ text: Substring) throws(Fault) -> Int64? {
        guard !text.isEmpty else { return nil }
        guard let milliseconds = ChartDelay.milliseconds(String(text)) else {
            throw Fault(message: "'\(text)' is no length of time: write 30s, 500ms, 1h30m or P7D")
        }
        return milliseconds
    }

    private static func start(_ text: Substring) throws(Fault) -> Start {
        var start = Start()
        guard !text.isEmpty else { return start }
        guard let settings = try json(text).object else { throw misused("start") }
        for member in settings {
            switch (member.name, member.value) {
            case ("id", .string(let id)) where ChartAddress.isValid("m/" + id): start.id = id
            case ("time", .string(let text)):
                guard let time = CELTimestamp(text) else {
                    throw Fault(message: "a time is a text such as \"2026-01-31T12:00:00Z\"")
                }
                start.time = time
            case ("seed", .integer(let seed)): start.seed = UInt64(bitPattern: seed)
            case ("input", .object(let input)):
                guard case .map(let map) = CELValue(.object(input)) else { throw misused("start") }
                start.input = map
            default:
                throw Fault(
                    message: "'\(member.name)' is no setting of .start, which has id, time, seed "
                        + "and input, or has another type")
            }
        }
        return start
    }
}
