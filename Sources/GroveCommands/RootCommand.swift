import ArgumentParser
import GroveServer

/// The command of an application: the server, the commands that talk to one, and the application's
/// own commands.
struct RootCommand<Application: GroveApplication>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Application.commandName,
            abstract: Application.abstract,
            discussion: discussion,
            version: Version<Application>.text,
            groupedSubcommands: groups)
    }

    /// The application's own commands, then those of every application that it doesn't replace.
    private static var groups: [CommandGroup] {
        let taken = Set(Application.subcommands.map { $0._commandName })
        let common = commonGroups.map { group in
            CommandGroup(
                name: group.name,
                subcommands: group.subcommands.filter { !taken.contains($0._commandName) })
        }
        guard !Application.subcommands.isEmpty else { return common }
        let own = CommandGroup(name: Application.commandName, subcommands: Application.subcommands)
        return [own] + common
    }

    private static var commonGroups: [CommandGroup] {
        [
            CommandGroup(
                name: "server",
                subcommands: [
                    Serve<Application>.self, CheckData<Application>.self, Restore.self,
                ]),
            CommandGroup(
                name: "instance",
                subcommands: [
                    Send.self, Batch.self, Get.self, List.self, History.self, Create.self,
                    Stop.self, Delete.self, Suspend.self, Resume.self, Can.self, Await.self,
                ]),
            CommandGroup(
                name: "effect",
                subcommands: [Effects.self, Cancel.self, Retry.self, Complete.self]),
            CommandGroup(
                name: "watching",
                subcommands: [Watch.self, Top.self, Stats.self, Health.self, Ping.self]),
            CommandGroup(
                name: "machine",
                subcommands: [
                    Definitions.self, Describe.self, Define.self, Undefine.self, Prune.self,
                    Migrate.self, ReplayEvents<Application>.self,
                ]),
            CommandGroup(
                name: "statechart",
                subcommands: [
                    CheckCharts.self, Simulate.self, TestCharts.self, Explore.self, Eval.self,
                    Diagram.self,
                ]),
            CommandGroup(
                name: "account",
                subcommands: [
                    Principal.self, Token.self, Accounts.self, Audit.self, Reload.self,
                ]),
            CommandGroup(name: "data", subcommands: [Backup.self, Export.self, Import.self]),
            CommandGroup(
                name: "other",
                subcommands: [
                    Shell<Application>.self, Bench.self, Completions<Application>.self,
                    Version<Application>.self,
                ]),
        ]
    }

    static var commandNames: [String] {
        groups.flatMap(\.subcommands).flatMap { [$0._commandName] + $0.configuration.aliases }
    }

    /// The argument parser's description of a command, as JSON; `nil` for none of that name.
    static func description(of name: String) -> String? {
        groups.flatMap(\.subcommands).first {
            $0._commandName == name || $0.configuration.aliases.contains(name)
        }?._dumpHelp()
    }

    private static var discussion: String {
        """
        Start a server, send an event, show the instance, follow all events:

          grove serve --data grove.db
          grove send counter/a increment
          grove get counter/a
          grove watch 'counter/*'

        'grove shell' takes the same commands at a prompt, with completion and history.

        These commands need no server: serve, check-data, restore, check, simulate, test, explore, \
        eval, completions, version, replay of a data file, diagram of a file, import of a chart, \
        and with --data export, principal, token, accounts and audit. All others talk to the \
        server at --server, which is HOST:PORT, tls:HOST:PORT or unix:PATH, else at \
        $GROVE_SERVER, else at 127.0.0.1:7400. Data goes to standard output, everything else to \
        standard error. With --json each value is one line of JSON, as the server sent it.

        Exit codes:
          0   done
          1   the server refused; standard error has the reason
          64  the command line is wrong
          65  lines of a file are broken, or a data file is damaged
          66  there is no such file
          69  no server there; nothing was sent
          70  an error in this program, or the other side is no Grove server
          73  a file exists already or can't be created, or a server has the data file open
          74  standard output or a file can't be read or written
          75  try again: the server is busy, or the outcome is unknown (with --dedup KEY the \
        same event can be sent again safely)
          78  the configuration or an address of a server is wrong, or the process may open too \
        few files or has too little memory
        """
    }

    /// Runs the command that the process was started with. Texts have the application's name
    /// instead of `grove`.
    static func runProcess() async {
        var name: String?
        if let number = CommandWords.invalidArgument {
            Output.note("error: argument \(number) is no valid UTF-8")
            exit(withError: ExitCode.validationFailure)
        }
        let arguments = CommandWords.withFlagValues(
            CommandWords.withVersionCommand(Array(CommandLine.arguments.dropFirst())),
            flags: ConfigurationKey.all.filter { $0.kind == .flag }.map(\.name))
        if let problem = CommandWords.problem(arguments, commands: commandNames) {
            Output.note("error: \(problem)\n  See 'grove --help' for more information.")
            exit(withError: ExitCode.validationFailure)
        }
        do {
            var command = try await asyncParseAsRoot(arguments)
            let type = type(of: command)
            name = (type as? any AccountsCommandLine.Type)?.words ?? type._commandName
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as ValidationError where name != nil {
            // The flags are right, but a value isn't: the usage wouldn't help.
            Output.note(
                "error: \(error.message)\n  See 'grove \(name ?? "") --help' for more information.")
            exit(withError: ExitCode.validationFailure)
        } catch {
            let code = exitCode(for: error)
            var text = ProgramName.inserted(into: fullMessage(for: error))
            // Like all other errors.
            if text.hasPrefix("Error: ") {
                text.replaceSubrange(..<text.index(after: text.startIndex), with: "e")
            }
            if code == .success {
                do {
                    try Output.line(text)
                } catch {
                    exit(withError: error)
                }
            } else if !text.isEmpty {
                Output.note(text)
            }
            exit(withError: code)
        }
    }
}
