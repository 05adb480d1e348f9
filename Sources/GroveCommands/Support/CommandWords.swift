import enum GroveEngine.EditDistance

/// Checks and rewrites the words of the command line before they are parsed.
enum CommandWords {
    /// The number of the first argument of this process that is no valid UTF-8; `nil` for none. Its
    /// bytes would become others, and two keys the same one.
    static var invalidArgument: Int? {
        (1..<max(1, Int(CommandLine.argc))).first { number in
            guard let text = CommandLine.unsafeArgv[number] else { return false }
            return String(validatingCString: text) == nil
        }
    }

    /// The error of a first word that is no command, with the most similar command; `nil` when it
    /// is one, or a flag.
    static func problem(_ arguments: [String], commands: [String]) -> String? {
        var words = arguments[...]
        if words.first == "help" { words = words.dropFirst() }
        guard let word = words.first, !word.isEmpty, !word.hasPrefix("-"), word != "help",
            !commands.contains(word)
        else { return nil }
        let meant = EditDistance.meant(by: word, of: commands + ["help"])
        return "there is no command '\(word)'" + (meant.map { "; did you mean '\($0)'?" } ?? "")
    }

    /// Rewrites the flag `--version` with flags of the command `version` to that command: the
    /// parser would ignore them.
    static func withVersionCommand(_ arguments: [String]) -> [String] {
        let flags = ["--libraries", "--json"]
        let others = arguments.filter { $0 != "--version" }
        guard others.count == arguments.count - 1, !others.isEmpty,
            others.allSatisfy(flags.contains)
        else { return arguments }
        return ["version"] + others
    }

    /// Rewrites the flags of `serve` that have a value: `--name true` and `--name=false` become
    /// `--name` and `--no-name`, which the parser knows.
    static func withFlagValues(_ arguments: [String], flags: [String]) -> [String] {
        guard arguments.first == "serve" else { return arguments }
        let values = ["true": "--", "false": "--no-"]
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard let flag = flags.first(where: { "--" + $0 == parts.first }) else {
                result.append(argument)
                continue
            }
            if parts.count == 2, let prefix = values[parts[1]] {
                result.append(prefix + flag)
            } else if parts.count == 1, let next = rest.first, let prefix = values[next] {
                result.append(prefix + flag)
                rest.removeFirst()
            } else {
                result.append(argument)
            }
        }
        return result
    }
}
