/// The program's name: `grove`, or that of an application that hosts its own machines.
enum ProgramName {
    /// This process's name.
    @TaskLocal static var current = "grove"

    /// Replaces `grove` by this process's name where the text names a command. The sources have
    /// `grove`, so that people find a text that they see.
    static func inserted(into text: String) -> String {
        guard current != "grove" else { return text }
        var result = ""
        var rest = text[...]
        while let found = rest.firstRange(of: "grove ") {
            let before = result.last ?? " "
            result += rest[..<found.lowerBound]
            let previous = rest[..<found.lowerBound].last ?? before
            rest = rest[found.upperBound...]
            let isWord = !previous.isLetter && !previous.isNumber && !"-_./$".contains(previous)
            let begins = rest.first.map { $0.isLowercase || $0 == "-" } ?? false
            result += (isWord && begins ? current : "grove") + " "
        }
        return result + rest
    }

    /// The command name of a type: `ShopFloor` becomes `shop-floor`.
    static func hyphenated(_ typeName: String) -> String {
        var result = ""
        var previous: Character = "A"
        for character in typeName {
            if character.isUppercase, !previous.isUppercase { result += "-" }
            result += character.lowercased()
            previous = character
        }
        return result
    }
}
