import ArgumentParser

struct Completions<Application: GroveApplication>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "completions",
            abstract: "Print a shell script that completes commands, flags and names.",
            discussion: """
                Reads names of machines and instances from the server at --server or \
                $GROVE_SERVER when they are needed.

                  grove completions bash > /etc/bash_completion.d/grove
                  grove completions zsh > "${fpath[1]}/_grove"
                  grove completions fish > ~/.config/fish/completions/grove.fish
                """)
    }

    @Argument(help: "bash, zsh or fish.") var shell: CompletionShell

    func run() throws {
        let script = CompletionScript(
            command: Application.commandName,
            subcommands: RootCommand<Application>.commandNames)
        try Output.line(
            script.text(RootCommand<Application>.completionScript(for: shell), for: shell))
    }
}

extension CompletionShell: @retroactive ExpressibleByArgument {}
