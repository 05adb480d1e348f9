import ArgumentParser

/// `grove completions`
struct Completions<Application: GroveApplication>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "completions",
            abstract: "Print a script that lets a shell complete commands, flags and names.",
            discussion: """
                Names of machines and instances are asked of the server at --server or \
                $GROVE_SERVER as they are needed.

                  grove completions bash > /etc/bash_completion.d/grove
                  grove completions zsh > "${fpath[1]}/_grove"
                  grove completions fish > ~/.config/fish/completions/grove.fish
                """)
    }

    @Argument(help: "bash, zsh or fish.") var shell: CompletedShell

    func run() throws {
        let known: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        let script = CompletionScript(
            command: Application.commandName,
            subcommands: RootCommand<Application>.commandNames)
        try Output.line(
            script.text(RootCommand<Application>.completionScript(for: known), for: shell))
    }
}

/// The shells there are scripts for.
enum CompletedShell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }
