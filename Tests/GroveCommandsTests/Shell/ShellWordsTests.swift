import Testing

@testable import GroveCommands

@Suite("ShellWords")
struct ShellWordsTests {
    @Test(arguments: [
        ("", []), ("   \t ", []), ("get counter/a", ["get", "counter/a"]),
        ("  a   b\t", ["a", "b"]),
        (#"send a '{"type":"pay","x":"y z"}'"#, ["send", "a", #"{"type":"pay","x":"y z"}"#]),
        (#"send a "it's \"x\" \\ \n \$ \`""#, ["send", "a", #"it's "x" \ \n $ `"#]),
        (#"a\ b \'c\" \\ \n"#, ["a b", #"'c""#, #"\"#, "n"]),
        ("''", [""]), (#"a"b"'c'd"#, ["abcd"]), (#"x '' "" y"#, ["x", "", "", "y"]),
        ("watch a/* $HOME ~ `x` {a,b} !!", ["watch", "a/*", "$HOME", "~", "`x`", "{a,b}", "!!"]),
        ("# only a comment", []), ("get a # why", ["get", "a"]), ("get a#b", ["get", "a#b"]),
        ("get '#b' \\#c", ["get", "#b", "#c"]),
        ("a 'b\nc' d\\\ne", ["a", "b\nc", "de"]), ("a \"b\\\nc\"", ["a", "bc"]),
        ("send ä/ö '☃'", ["send", "ä/ö", "☃"]),
    ])
    func `words are those of a POSIX shell without expansion`(line: String, words: [String]) {
        #expect(ShellWords(line).whole == words)
    }

    @Test(arguments: ["send a '{", "send a \"b", "send a \\", "send a 'b\" \\", "\"\\", "'a' '"])
    func `an open quote or backslash wants more`(line: String) {
        #expect(ShellWords(line).whole == nil)
    }

    @Test(arguments: [
        ("list | head", "|", 1), ("watch a &", "&", 2), ("get a > file", ">", 2), ("a;", nil, 0),
        ("get '|'", nil, 0), ("get \\&", nil, 0), ("get a ;", ";", 2), ("get a|b", nil, 0),
    ])
    func `signs of pipes and redirections are found, unless quoted`(
        line: String, sign: String?, index: Int
    ) {
        let found = ShellWords(line).firstOperator
        #expect(found?.text == sign && found?.index ?? 0 == index)
    }

    @Test(arguments: ["a b", "it's", #"say "x" \ # ☃"#, "#", "", "a\tb"])
    func `quoted text is read back as the same word`(text: String) throws {
        for begin in ["get ", "get x", "get \"", "get 'x' \""] {
            let line = ShellWords(begin)
            let more = try #require(line.quoted(text))
            let end = line.place == .doubleQuotes ? "\"" : ""
            let word = (line.last ?? "") + text
            let words = ShellWords(begin + more + end).whole
            #expect(words == line.words + (word.isEmpty && end.isEmpty ? [] : [word]))
        }
        #expect(ShellWords("get '").quoted(text) == (text.contains("'") ? nil : text))
    }
}
