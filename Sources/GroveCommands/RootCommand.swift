import ArgumentParser

/// The command that an application is: the server, everything to talk to one, and what the
/// application brings.
struct RootCommand<Application: GroveApplication>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Application.commandName,
            abstract: Application.abstract,
            discussion: discussion,
            version: Version<Application>.text,
            subcommands: ownSubcommands,
            groupedSubcommands: Application.subcommands.isEmpty
                ? []
                : [
                    CommandGroup(
                        name: Application.commandName, subcommands: Application.subcommands)
                ])
    }

    /// The commands of every application. One that the application has under the same name takes
    /// the place.
    private static var ownSubcommands: [any ParsableCommand.Type] {
        let taken = Set(Application.subcommands.map { $0._commandName })
        return all.filter { !taken.contains($0._commandName) }
    }

    private static var all: [any ParsableCommand.Type] {
        [
            Serve<Application>.self, Send.self, Get.self, Create.self, List.self, History.self,
            Watch.self, Stop.self, Delete.self, Effects.self, Cancel.self, Retry.self,
            Complete.self, Await.self, Batch.self, Can.self, Describe.self, Backup.self,
            Export.self, Import.self,
            CheckData<Application>.self, Definitions.self, Ping.self, Health.self, Stats.self,
            Bench.self, Completions<Application>.self, Version<Application>.self,
        ]
    }

    private static var discussion: String {
        """
        Start a server, send it an event, look at the instance, follow what happens:

          grove serve --data grove.db
          grove send counter/a increment
          grove get counter/a
          grove watch 'counter/*'

        Every command but serve, check-data and completions talks to the server at \
        --server, which is HOST:PORT or unix:PATH, else at $GROVE_SERVER, else at \
        127.0.0.1:7400. Data goes to standard \
        output, everything else to standard error. With --json each value is one line of \
        JSON, as the server sent it.

        Exit codes:
          0   done
          1   the server refused; standard error says why
          64  the command line is wrong
          65  lines of a file are broken, or a data file is damaged
          66  there is no such file
          69  no server there; nothing was sent
          70  an error in this program, or what answered is no Grove server
          75  try again: the server is busy, or the outcome is unknown (with --dedup KEY the \
        same event can be repeated without harm)
        """
    }

    /// Runs the command that the process was started with. Texts name the application's command
    /// where they would name `grove`.
    static func runProcess() async {
        var name: String?
        do {
            var command = try await asyncParseAsRoot()
            name = type(of: command)._commandName
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as ValidationError where name != nil {
            // The flags are right, and a value isn't: the usage of all commands says nothing of it.
            Output.note(
                "Error: \(error.message)\n  See 'grove \(name ?? "") --help' for more information.")
            exit(withError: ExitCode.validationFailure)
        } catch {
            let code = exitCode(for: error)
            let text = ProgramName.inserted(into: fullMessage(for: error))
            if code == .success {
                // Whoever asked for help and doesn't read it has all the same been answered.
                try? Output.line(text)
            } else if !text.isEmpty {
                Output.note(text)
            }
            exit(withError: code)
        }
    }
}
