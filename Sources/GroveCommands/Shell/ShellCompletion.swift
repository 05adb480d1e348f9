import Glibc

/// Completes a line of the shell: commands, flags, their values, files, and the names that the
/// commands' own completion functions find.
struct ShellCompletion: Sendable {
    /// Calls the completion function of an argument: the words of its command, the parser's name of
    /// the argument, the words before the cursor, and the last word.
    typealias Ask =
        @Sendable (_ command: [String], _ argument: String, _ words: [String], _ last: String) ->
        [String]

    let commands: ShellCommands
    /// The shell's own words, besides the commands.
    let words: [String]
    /// Commands that the shell refuses.
    let refused: Set<String>
    /// The connection flags for a line.
    let flags: ShellFlags
    let ask: Ask

    /// What the word at the end of the text may become.
    func completions(_ text: String) -> [LineCompletion] {
        let line = ShellWords(text)
        guard line.firstOperator == nil, line.place != .escape else { return [] }
        // A comment has no words.
        if line.place == .blank, let last = text.last, !last.isWhitespace {
            return []
        }
        let typed = line.last ?? ""
        var before = line.words[...]
        if before.first == commands.program { before = before.dropFirst() }
        return candidates(Array(before), typed).compactMap { text in
            guard text.hasPrefix(typed), let rest = line.quoted(String(text.dropFirst(typed.count)))
            else { return nil }
            let end: Character =
                switch line.place {
                case .singleQuotes: "'"
                case .doubleQuotes: "\""
                case .blank, .word, .escape: " "
                }
            let isOpen = text.hasSuffix("/") || text.hasSuffix("=")
            return LineCompletion(typed: typed, rest: rest, end: isOpen ? nil : end)
        }
    }

    /// The words that may stand at the end, whether or not they begin with what was typed.
    private func candidates(_ words: [String], _ typed: String) -> [String] {
        if words.isEmpty { return commandNames + self.words }
        if words == ["help"] { return commandNames }
        guard !refused.contains(words[0]), let (command, count) = commands.command(of: words)
        else { return [] }
        if count == words.count, !command.subcommands.isEmpty, !typed.hasPrefix("-") {
            return command.subcommands.map(\.name)
        }
        let path = Array(words.prefix(count))
        var place = 0
        var option: ShellCommandTree.Argument?
        for word in words.dropFirst(count) {
            if option != nil {
                option = nil
            } else if word.hasPrefix("-"), word != "-" {
                let found = command.option(word)
                option = found?.kind == .option ? found : nil
            } else {
                place += 1
            }
        }
        if let option, let name = option.names.first {
            return values(of: option, name, path, words, typed)
        }
        if typed.hasPrefix("--"), let equals = typed.firstIndex(of: "=") {
            let name = String(typed[..<equals])
            guard let option = command.option(name), option.kind == .option else { return [] }
            let value = String(typed[typed.index(after: equals)...])
            return values(of: option, name, path, words + [name], value).map { name + "=" + $0 }
        }
        if typed.hasPrefix("-") {
            return command.arguments.filter(\.isShown).flatMap(\.names).filter {
                $0.hasPrefix("--")
            }
        }
        let places = command.arguments.filter { $0.kind == .positional }
        guard let last = places.last else { return [] }
        let index = place < places.count ? place : places.count - 1
        guard place < places.count || last.isRepeating else { return [] }
        return values(of: places[index], "positional@\(index)", path, words, typed)
    }

    private var commandNames: [String] {
        commands.names.filter { !refused.contains($0) }
    }

    private func values(
        of argument: ShellCommandTree.Argument, _ name: String, _ command: [String],
        _ words: [String], _ typed: String
    ) -> [String] {
        switch argument.values {
        case .none: []
        case .list(let values): values
        case .files: files(typed, onlyFolders: false)
        case .folders: files(typed, onlyFolders: true)
        case .asked: ask(command, name, flags.added(to: words, commands), typed)
        }
    }

    /// The files that a path may become; folders end with a slash.
    private func files(_ typed: String, onlyFolders: Bool) -> [String] {
        let slash = typed.lastIndex(of: "/")
        let folder = slash.map { String(typed[...$0]) } ?? ""
        let begin = slash.map { typed[typed.index(after: $0)...] } ?? typed[...]
        guard let listing = opendir(folder.isEmpty ? "." : folder) else { return [] }
        defer { closedir(listing) }
        var found: [String] = []
        while found.count < ShellCompletion.filesMax, let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // A name with characters that a terminal obeys isn't shown to one.
            guard name != ".", name != "..", name.hasPrefix(begin),
                !name.hasPrefix(".") || begin.hasPrefix("."),
                !name.unicodeScalars.contains(where: TerminalText.isDangerous)
            else { continue }
            let path = folder + name
            var status = stat()
            let isFolder = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            if isFolder || !onlyFolders { found.append(path + (isFolder ? "/" : "")) }
        }
        return found.sorted()
    }
}
