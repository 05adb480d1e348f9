import Testing

@testable import GroveCommands

@Suite("CommandWords")
struct CommandWordsTests {
    private static let commands = ["serve", "send", "list", "history", "check-data"]

    @Test(arguments: [
        ("sned", "there is no command 'sned'; did you mean 'send'?"),
        ("SEND", "there is no command 'SEND'; did you mean 'send'?"),
        ("help lst", "there is no command 'lst'; did you mean 'list'?"),
        ("hlep", "there is no command 'hlep'; did you mean 'help'?"),
        ("check", "there is no command 'check'; did you mean 'check-data'?"),
        ("frobnicate", "there is no command 'frobnicate'"),
        ("send a b", nil), ("help", nil), ("help send", nil), ("help --help", nil), ("--help", nil),
        ("---completion sned", nil), ("help help", nil), ("", nil),
    ])
    func `an unknown command is reported with the nearest`(line: String, text: String?) {
        let words = line.split(separator: " ").map(String.init)
        #expect(CommandWords.problem(words, commands: Self.commands) == text)
    }

    @Test(arguments: [
        ("serve --http-plaintext true --data x", "serve --http-plaintext --data x"),
        ("serve --http-plaintext=true", "serve --http-plaintext"),
        ("serve --http-plaintext false", "serve --no-http-plaintext"),
        ("serve --http-plaintext=false", "serve --no-http-plaintext"),
        ("serve --http-plaintext", "serve --http-plaintext"),
        ("serve --http-plaintext --data true", "serve --http-plaintext --data true"),
        ("serve --http-plaintext=perhaps", "serve --http-plaintext=perhaps"),
        ("serve --data --http-plaintext", "serve --data --http-plaintext"),
        ("send --http-plaintext true", "send --http-plaintext true"),
    ])
    func `flags of serve may have a value`(line: String, expected: String) {
        let words = line.split(separator: " ").map(String.init)
        let flags = ["insecure-plaintext", "http-plaintext"]
        let result = CommandWords.withFlagValues(words, flags: flags)
        #expect(result.joined(separator: " ") == expected)
    }

    @Test(arguments: [
        ("--version --libraries", "version --libraries"),
        ("--libraries --version", "version --libraries"),
        ("--version --libraries --json", "version --libraries --json"),
        ("--version", "--version"), ("--version --help", "--version --help"),
        ("serve --version --json", "serve --version --json"), ("--libraries", "--libraries"),
    ])
    func `the flag --version takes the flags of the command`(line: String, expected: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(CommandWords.withVersionCommand(words).joined(separator: " ") == expected)
    }
}
