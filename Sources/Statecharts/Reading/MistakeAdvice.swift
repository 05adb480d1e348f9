import CEL

/// What to write instead, for mistakes that are made often.
enum MistakeAdvice {
    /// Words of other formats, in lower case, and those of this one.
    private static let counterparts = [
        "transitions": "on", "events": "on", "cond": "guard", "condition": "guard",
        "when": "guard", "if": "guard", "action": "actions", "do": "actions", "then": "actions",
        "onentry": "entry", "enter": "entry", "onexit": "exit", "leave": "exit",
        "children": "states", "next": "target", "goto": "target", "start": "initial",
        "startat": "initial", "data": "context", "variables": "context", "vars": "context",
        "name": "id", "key": "id", "timeout": "after", "timers": "after", "timer": "after",
        "final": "type", "parallel": "type", "kind": "type", "external": "reenter",
        "internal": "reenter", "output": "emit", "retries": "retry", "attempts": "max",
    ]

    /// The word for one of another format, if it has a meaning here.
    static func counterpart(of word: String, among words: Set<String>) -> String? {
        counterparts[word.lowercased()].flatMap { words.contains($0) ? $0 : nil }
    }

    /// The clause after a fault of an expression; empty without advice.
    ///
    /// - Parameters:
    ///   - members: The members of the context.
    ///   - isValue: Whether the expression is a value, which a beginner may take for a text.
    ///   - isCondition: Whether it is a condition, which may be the name of a guard.
    static func clause(
        for fault: CELError, in text: String, members: Set<String>, isValue: Bool,
        isCondition: Bool
    ) -> String {
        if let name = subject(of: fault.message, after: "there is no variable '") {
            if members.contains(name) { return ": write 'context.\(name)'" }
            guard name == text else { return "" }
            if isCondition { return ", and no guard of this name in 'guards'" }
            return isValue ? quoted(text) : ""
        }
        if subject(of: fault.message, after: "there is no member '") != nil {
            let before = text.utf8.prefix(fault.offset)
            return Substring(before).hasSuffix("context") ? ": declare it in context" : ""
        }
        return fault.kind == .syntax && isValue && isProse(text) ? quoted(text) : ""
    }

    private static func quoted(_ text: String) -> String {
        text.count <= 40 ? ": write \"'\(text)'\" for this text" : ""
    }

    /// The name in a message that ends after it; nil if a suggestion follows.
    private static func subject(of message: String, after head: String) -> String? {
        guard message.hasPrefix(head), message.hasSuffix("'") else { return nil }
        let name = message.dropFirst(head.count).dropLast()
        return name.contains("'") ? nil : String(name)
    }

    /// Whether a text has words with blanks between them, and nothing that only expressions have.
    private static func isProse(_ text: String) -> Bool {
        text.contains(" ")
            && text.allSatisfy { $0.isLetter || $0.isNumber || " .,!?-:".contains($0) }
    }

    /// The clause after a fault of JSON; empty without advice.
    ///
    /// - Parameter offset: The place where reading has ended.
    static func clause(forJSON bytes: [UInt8], at offset: Int) -> String {
        guard offset < bytes.count else { return "" }
        switch Unicode.Scalar(bytes[offset]) {
        case "/", "#": return ": JSON has no comments, but 'description'"
        case "'": return ": write double quotes"
        case "}", "]":
            let before = bytes[..<offset].last { !" \t\r\n".utf8.contains($0) }
            return before == UInt8(ascii: ",") ? ": remove the comma before it" : ""
        default: return ""
        }
    }
}
