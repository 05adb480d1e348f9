import OrderedJSON

/// A command with its flags, arguments and subcommands, as the argument parser describes them.
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

    /// Reads the description of a command in JSON.
    init(description: String) {
        // Without it, as with another parser, nothing is known of the command.
        let description = try? JSONValue(parsing: Array(description.utf8))
        self.init(description?["command"] ?? .null)
    }

    private init(_ command: JSONValue) {
        name = command["commandName"]?.string ?? ""
        aliases = command["aliases"]?.array?.compactMap(\.string) ?? []
        // The parser adds one for help to each command that is described alone.
        subcommands =
            command["subcommands"]?.array?.filter { $0["commandName"] != "help" }
            .map(ShellCommandTree.init) ?? []
        arguments = command["arguments"]?.array?.compactMap(Argument.init) ?? []
    }

    /// The subcommand of a name.
    func subcommand(_ name: String) -> ShellCommandTree? {
        subcommands.first { $0.name == name || $0.aliases.contains(name) }
    }

    /// The subcommand that the words begin with, or this one, and the number of words that name it.
    func command(of words: ArraySlice<String>) -> (command: ShellCommandTree, count: Int) {
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
