public import OrderedJSON

/// Something that a command of a simulation has shown: a word, and what it is about.
public struct SimulationRecord: Sendable {
    /// The kind: `state`, `context`, `output`, `log`, and so on.
    public let word: String
    /// The address of the instance; nil for the machine that is simulated.
    public let address: String?
    /// What it is about, as a text for people.
    public let text: String
    /// The same as JSON.
    public let value: JSONValue

    init(_ word: String, _ address: String? = nil, _ text: String, _ value: JSONValue) {
        self.word = word
        self.address = address
        self.text = text
        self.value = value
    }

    /// A record whose text is its value.
    init(_ word: String, _ address: String? = nil, _ value: JSONValue) {
        self.init(word, address, value.description, value)
    }

    /// The line of a transcript, indented by two.
    public var line: String {
        var line = "  " + word
        line += String(repeating: " ", count: max(1, Self.wordColumns - word.count))
        if let address { line += address + " " }
        line += text
        while line.last == " " { line.removeLast() }
        return line
    }

    /// The record as JSON: `{"what":"output","to":"order/1","value":{…}}`.
    public var json: JSONValue {
        var object: JSONObject = ["what": .string(word)]
        if let address { object["to"] = .string(address) }
        object["value"] = value
        return .object(object)
    }

    /// The columns of the longest frequent word, and two.
    private static let wordColumns = 10
}
