/// The name that the command goes by: `grove`, or that of an application that hosts machines of
/// its own.
enum ProgramName {
    /// The name in this process.
    @TaskLocal static var current = "grove"

    /// The text with this process's name where it tells of a command of `grove`. Texts are written
    /// with that name, so that they can be found by what people see.
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

    /// The name of a type as a command has it: `ShopFloor` is `shop-floor`.
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
