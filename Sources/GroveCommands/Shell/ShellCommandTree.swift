import ArgumentParser
import OrderedJSON

/// The commands with their flags and arguments, as the argument parser describes them.
struct ShellCommandTree: Sendable {
    /// A flag, an option or an argument.
    struct Argument: Sendable {
        enum Kind: String { case flag, option, positional }
        enum Values: Equatable {
            case none
            case list([String])
            case files
            case folders
            /// The function that the argument names.
            case asked
        }

        let kind: Kind
        /// With hyphens: `--server`; none for an argument.
        let names: [String]
        let isShown: Bool
        let isRepeating: Bool
        let values: Values
    }

    let name: String
    let aliases: [String]
    let subcommands: [ShellCommandTree]
    let arguments: [Argument]

    /// The commands of a program.
    init<Root: ParsableCommand>(of root: Root.Type) {
        // The parser writes its own description.
        let description = try? JSONValue(parsing: Array(root._dumpHelp().utf8))
        self.init(description?["command"] ?? .null)
    }

    private init(_ command: JSONValue) {
        name = command["commandName"]?.string ?? ""
        aliases = command["aliases"]?.array?.compactMap(\.string) ?? []
        subcommands = command["subcommands"]?.array?.map(ShellCommandTree.init) ?? []
        arguments = command["arguments"]?.array?.compactMap(Argument.init) ?? []
    }

    /// The subcommand of a name.
    func subcommand(_ name: String) -> ShellCommandTree? {
        subcommands.first { $0.name == name || $0.aliases.contains(name) }
    }

    /// The command of a line, and the number of words that name it.
    func command(of words: [String]) -> (command: ShellCommandTree, count: Int) {
        var found = (command: self, count: 0)
        for word in words {
            guard let next = found.command.subcommand(word) else { break }
            found = (next, found.count + 1)
        }
        return found
    }

    /// The option or flag of a name with its hyphens.
    func option(_ name: String) -> Argument? { arguments.first { $0.names.contains(name) } }
}

extension ShellCommandTree.Argument {
    fileprivate init?(_ argument: JSONValue) {
        guard let kind = argument["kind"]?.string.flatMap(Kind.init) else { return nil }
        self.kind = kind
        names =
            argument["names"]?.array?.compactMap { name in
                let isLong = name["kind"]?.string == "long"
                return name["name"]?.string.map { (isLong ? "--" : "-") + $0 }
            } ?? []
        isShown = argument["shouldDisplay"]?.bool ?? true
        isRepeating = argument["isRepeating"]?.bool ?? false
        let words = argument["allValues"]?.array?.compactMap(\.string) ?? []
        let completion = argument["completionKind"]
        if let list = completion?["list"]?["values"]?.array {
            values = .list(list.compactMap(\.string))
        } else if completion?["file"] != nil {
            values = .files
        } else if completion?["directory"] != nil {
            values = .folders
        } else if completion?["custom"] != nil || completion?["customAsync"] != nil {
            values = .asked
        } else {
            values = words.isEmpty ? .none : .list(words)
        }
    }
}
