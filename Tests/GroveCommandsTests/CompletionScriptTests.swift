import Testing

@testable import GroveCommands

/// Another test runs the scripts in shells (`grove on a terminal`). These tests check that the
/// parser still generates the text that the script replaces.
@Suite("CompletionScript")
struct CompletionScriptTests {
    private let script = CompletionScript(command: "grove", subcommands: ["send", "get"])

    @Test func `zsh and fish complete names after help`() {
        let zsh = script.text("a\n        '*:subcommands:'\nb", for: .zsh)
        #expect(zsh == "a\n        '*:subcommands:(send get)'\nb")
        let fish = script.text("a", for: .fish)
        #expect(
            fish == "a\ncomplete -c 'grove' -n '__fish_seen_subcommand_from help' -fa 'send get'")
    }

    @Test func `zsh completes option values after an equals sign`() {
        let specs = [
            #"'--server[Where it is\: HOST\:PORT. (default\: 1)]:server:'"#,
            "'*--listen[May be repeated.]:listen:'", "'--json[Write JSON.]'",
            "'(-h --help)'{-h,--help}'[Show help information.]'",
        ]
        let zsh = script.text(specs.joined(separator: "\n"), for: .zsh)
        #expect(
            zsh.split(separator: "\n").map(String.init) == [
                #"'--server=[Where it is\: HOST\:PORT. (default\: 1)]:server:'"#,
                "'*--listen=[May be repeated.]:listen:'", specs[2], specs[3],
            ])
    }

    @Test func `zsh adds no space after a slash`() {
        let zsh = script.text(
            "    _describe -V '' non_empty_completions -- empty_completions -P x", for: .zsh)
        #expect(
            zsh.contains("_describe -V '' open_completions -S '' -- whole_completions -- empty_"))
        #expect(!zsh.contains("-V '' non_empty_completions"))
    }
}
