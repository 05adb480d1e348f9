import ArgumentParser
import Dispatch
import Glibc
import GroveClient
import Synchronization

struct Shell<Application: GroveApplication>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "shell",
            abstract: "Type commands at a prompt, with completion and history.",
            discussion: """
                Each line is a command without 'grove', with quotes as in a POSIX shell and \
                nothing expanded. Lines get the flags of this command, unless they have them. Tab \
                completes commands, flags and names of the server. A watch that ends with & runs \
                beside the prompt; 'unwatch' ends it. Ctrl-C clears the line or ends the command; \
                Ctrl-D, 'exit' and 'quit' end the shell.

                  $ grove shell --server tls:grove.example.com:7400 --token-file ~/.grove-token
                  > watch 'order/*' &
                  > send order/o-1 '{"type":"pay","amount":30}'
                  > top

                If standard input is no terminal, its lines are a script: the first line that \
                fails ends it with the exit code of that line. With --keep-going the lines after \
                it run, too.

                Lines are kept in $XDG_STATE_HOME/grove/history or ~/.local/state/grove/history, \
                except those that begin with a blank or seem to have a token, a password or a key.
                """)
    }

    @Flag(help: "In a script, run the lines after one that failed, too.") var keepGoing = false
    @Flag(help: "Neither read nor write the file with earlier lines.") var noHistory = false
    @OptionGroup var connection: ConnectionFlags

    func run() async throws {
        let options = try connection.clientOptions()
        let commands = ShellCommands(of: Application.self)
        let flags = ShellFlags(connection)
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
        let session = ShellSession(
            commands: commands, flags: flags, isInteractive: isTerminal,
            style: connection.format.noteStyle)
        let completion = ShellCompletion(
            commands: commands, words: ShellSession.ownWords,
            refused: Set(ShellSession.refused.keys), flags: flags, ask: Shell.ask)
        let path = noHistory ? nil : ShellHistory.standardPath
        let (name, keepsGoing) = (ProgramName.current, keepGoing)
        let code = await withCheckedContinuation { continuation in
            // Reading and waiting block.
            DispatchQueue(label: "grove.shell").async {
                let code = ProgramName.$current.withValue(name) {
                    isTerminal
                        ? session.runTerminal(
                            server: options.server.description,
                            history: path.map(ShellHistory.init), completion: completion)
                        : session.runScript(keepsGoing: keepsGoing)
                }
                continuation.resume(returning: code)
            }
        }
        if code != 0 { throw ExitCode(code) }
    }

    /// Calls the completion function of an argument, as the completion scripts of shells do.
    private static func ask(
        _ command: [String], _ argument: String, _ words: [String], _ last: String
    ) -> [String] {
        let arguments =
            ["---completion"] + command + ["--", argument, "\(words.count + 1)", "\(last.count)"]
            + [Application.commandName] + words + [last]
        let answer = Answer()
        Task {
            do {
                _ = try await RootCommand<Application>.asyncParseAsRoot(arguments)
            } catch {
                // The parser's answer is thrown.
                if RootCommand<Application>.exitCode(for: error) == .success {
                    let text = RootCommand<Application>.fullMessage(for: error)
                    answer.names.withLock { $0 = text.split(separator: "\n").map(String.init) }
                }
            }
            answer.isThere.signal()
        }
        answer.isThere.wait()
        return answer.names.withLock(\.self)
    }

    private final class Answer: Sendable {
        let names = Mutex<[String]>([])
        let isThere = DispatchSemaphore(value: 0)
    }
}
