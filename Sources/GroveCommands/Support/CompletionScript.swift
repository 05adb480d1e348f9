import ArgumentParser

/// Extends the argument parser's completion script of a shell: names of commands after `help`, no
/// space after `MACHINE/`, where the instance follows, and for zsh `--option=VALUE`.
struct CompletionScript {
    /// The program's name, such as `grove`.
    let command: String
    let subcommands: [String]

    /// Extends the argument parser's script.
    func text(_ script: String, for shell: CompletionShell) -> String {
        shell == .zsh ? zsh(script) : script + "\n" + (shell == .bash ? bash : fish)
    }

    private var names: String { subcommands.joined(separator: " ") }

    private var bash: String {
        """

        _\(command)_help() {
            COMPREPLY+=($(compgen -W '\(names)' -- "${cur}"))
        }

        __\(command)_completed() {
            _\(command) "${@}"
            local word
            for word in "${COMPREPLY[@]}"; do
                [[ "${word}" == */ ]] || return 0
            done
            [[ "${#COMPREPLY[@]}" -eq 0 ]] || compopt -o nospace 2>/dev/null || return 0
        }

        complete -o filenames -F __\(command)_completed \(command)
        """
    }

    private func zsh(_ script: String) -> String {
        script
            .replacing("'*:subcommands:'", with: "'*:subcommands:(\(names))'")
            // An option with a message after its description takes a value.
            .replacing(/'(\*?--[a-z-]+)\[(.*\]:)/) { "'\($0.1)=[\($0.2)" }
            .replacing(
                "    _describe -V '' non_empty_completions --",
                with: """
                        local -ar open_completions=("${(@M)non_empty_completions:#*/}")
                        local -ar whole_completions=("${(@)non_empty_completions:#*/}")
                        _describe -V '' open_completions -S '' -- whole_completions --
                    """)
    }

    private var fish: String {
        "complete -c '\(command)' -n '__fish_seen_subcommand_from help' -fa '\(names)'"
    }
}
