import Testing

@testable import GroveCommands

/// What bash makes of its script is tested with the command (`grove on a terminal`); of the others,
/// that the parser still writes what is replaced.
@Suite("CompletionScript")
struct CompletionScriptTests {
    private let script = CompletionScript(command: "grove", subcommands: ["send", "get"])

    @Test func `zsh and fish complete names behind help`() {
        let zsh = script.text("a\n        '*:subcommands:'\nb", for: .zsh)
        #expect(zsh == "a\n        '*:subcommands:(send get)'\nb")
        let fish = script.text("a", for: .fish)
        #expect(
            fish == "a\ncomplete -c 'grove' -n '__fish_seen_subcommand_from help' -fa 'send get'")
    }

    @Test func `zsh puts no space behind a slash`() {
        let zsh = script.text(
            "    _describe -V '' non_empty_completions -- empty_completions -P x", for: .zsh)
        #expect(
            zsh.contains("_describe -V '' open_completions -S '' -- whole_completions -- empty_"))
        #expect(!zsh.contains("-V '' non_empty_completions"))
    }
}
