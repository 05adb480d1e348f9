import Synchronization

/// The commands of a program, each described when it is first needed: the argument parser takes
/// about a second for all of them in a program that isn't optimized.
final class ShellCommands: Sendable {
    /// The program's name, such as `grove`.
    let program: String
    /// The names of the commands, and `help`.
    let names: [String]
    private let describe: @Sendable (String) -> String?
    private let known = Mutex<[String: ShellCommandTree]>([:])

    /// The commands of an application.
    init<Application: GroveApplication>(of application: Application.Type) {
        program = Application.commandName
        names = RootCommand<Application>.commandNames + ["help"]
        describe = { RootCommand<Application>.description(of: $0) }
    }

    /// The command that the words begin with, and the number of words that name it; `nil` for other
    /// words.
    func command(of words: [String]) -> (command: ShellCommandTree, count: Int)? {
        guard let first = words.first, let tree = tree(first) else { return nil }
        let (command, count) = tree.command(of: words.dropFirst())
        return (command, count + 1)
    }

    private func tree(_ name: String) -> ShellCommandTree? {
        known.withLock { known in
            if let tree = known[name] { return tree }
            guard names.contains(name), let text = describe(name) else { return nil }
            let tree = ShellCommandTree(description: text)
            known[name] = tree
            return tree
        }
    }
}
