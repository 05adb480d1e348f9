import enum GroveEngine.EditDistance

/// What stands on the command line, before it is parsed.
enum CommandWords {
    /// What is wrong with the word that stands where a command belongs, with the nearest command
    /// there is; `nil` when it is one, or nothing of the kind stands there.
    static func problem(_ arguments: [String], commands: [String]) -> String? {
        var words = arguments[...]
        if words.first == "help" { words = words.dropFirst() }
        guard let word = words.first, !word.isEmpty, !word.hasPrefix("-"), word != "help",
            !commands.contains(word)
        else { return nil }
        let meant = EditDistance.meant(by: word, of: commands + ["help"])
        return "there is no command '\(word)'" + (meant.map { "; did you mean '\($0)'?" } ?? "")
    }

    /// Arguments of `serve` in which flags that were given a value, `--name true` or
    /// `--name=false`, are written as the parser knows them: `--name` and `--no-name`.
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
