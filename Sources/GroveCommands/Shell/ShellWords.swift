/// A line of the shell as words, by the rules of a POSIX shell for quotes: single quotes, double
/// quotes, a backslash, and a comment after `#`. Nothing is expanded.
struct ShellWords: Equatable {
    /// Where a line ends.
    enum Place: Equatable {
        /// Between words.
        case blank
        case word
        case singleQuotes
        case doubleQuotes
        /// After a backslash.
        case escape
    }

    /// What a POSIX shell would do, and this one doesn't.
    static let operators: Set<String> = ["|", "||", "&", "&&", ";", ">", ">>", "<", "<<", "2>"]

    /// The words that have ended, without their quotes.
    private(set) var words: [String] = []
    /// The word at the end of the line, if the line ends within one.
    private(set) var last: String?
    private(set) var place = Place.blank
    /// The first word that is one of ``operators`` without quotes, and its index.
    private(set) var firstOperator: (text: String, index: Int)?

    static func == (left: ShellWords, right: ShellWords) -> Bool {
        left.words == right.words && left.last == right.last && left.place == right.place
            && left.firstOperator?.text == right.firstOperator?.text
    }

    /// Reads a line, or the part of one before the cursor.
    init(_ line: String) {
        var text = ""
        var isQuoted = false
        var isInDoubleQuotes = false
        for scalar in line.unicodeScalars {
            switch place {
            case .blank, .word:
                switch scalar {
                case "#" where place == .blank: return
                case " ", "\t", "\n", "\r":
                    if place == .word { endWord(&text, &isQuoted) }
                    place = .blank
                    continue
                case "'": (place, isQuoted) = (.singleQuotes, true)
                case "\"": (place, isQuoted, isInDoubleQuotes) = (.doubleQuotes, true, true)
                case "\\": (place, isQuoted) = (.escape, true)
                default:
                    text.unicodeScalars.append(scalar)
                    place = .word
                }
            case .singleQuotes:
                if scalar == "'" { place = .word } else { text.unicodeScalars.append(scalar) }
            case .doubleQuotes:
                switch scalar {
                case "\"": (place, isInDoubleQuotes) = (.word, false)
                case "\\": place = .escape
                default: text.unicodeScalars.append(scalar)
                }
            case .escape:
                // Before a newline it continues the line; in double quotes it is one of two
                // characters unless it hides a meaning.
                let hides = !isInDoubleQuotes || ["\"", "\\", "$", "`"].contains(scalar)
                if scalar != "\n" {
                    if !hides { text += "\\" }
                    text.unicodeScalars.append(scalar)
                }
                place = isInDoubleQuotes ? .doubleQuotes : .word
            }
        }
        last = place == .blank ? nil : text
        if !isQuoted, let last, Self.operators.contains(last), firstOperator == nil {
            firstOperator = (last, words.count)
        }
    }

    /// All words of a whole line; `nil` if a quote or a backslash wants more.
    var whole: [String]? {
        switch place {
        case .blank: words
        case .word: words + [last ?? ""]
        case .singleQuotes, .doubleQuotes, .escape: nil
        }
    }

    private mutating func endWord(_ text: inout String, _ isQuoted: inout Bool) {
        if !isQuoted, Self.operators.contains(text), firstOperator == nil {
            firstOperator = (text, words.count)
        }
        words.append(text)
        (text, isQuoted) = ("", false)
    }

    /// The text as a line at this place has to have it: within quotes nearly unchanged, elsewhere
    /// with a backslash before each character that has a meaning; `nil` if it can't be written.
    func quoted(_ text: String) -> String? {
        let meaning: String
        switch place {
        case .singleQuotes: return text.contains("'") ? nil : text
        case .escape: return nil
        case .doubleQuotes: meaning = "\"\\"
        case .blank, .word: meaning = " \t'\"\\#"
        }
        var result = ""
        for scalar in text.unicodeScalars {
            if meaning.unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
