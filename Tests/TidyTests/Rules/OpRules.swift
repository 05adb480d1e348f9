/// The places that must name every op, and that no compiler checks.
enum OpRules {
    /// Ops without a separate command, or with another word.
    static let commands: [String: String?] = [
        "auth": nil, "credit": nil, "hello": nil, "subscribe": "watch", "unsubscribe": nil,
    ]

    /// Ops that the protocol page describes under another heading.
    static let sections = ["hello": "Connecting"]

    /// Ops that clients send for their own connections and subscriptions.
    static let ownOfClients: Set<String> = ["credit", "hello", "subscribe", "unsubscribe"]

    /// Those that the types for JavaScript don't name.
    static let notInTypes = ownOfClients.subtracting(["subscribe"])

    /// Ops that the client for Python leaves to the tool.
    static let notInPython: Set<String> = ["backup", "import"]

    /// The protocol page has a section about each op, and names it in the table of ops.
    static func sections(_ ops: [String], page: SourceFile) -> [Problem] {
        let text = MarkdownText(page.text)
        let headings = Set(text.headings.map(\.text))
        let rows = text.prose.filter { $0.hasPrefix("| [") }
        return ops.flatMap { op in
            let section = sections[op] ?? op
            let isListed = section != op || rows.contains { $0.contains("[`\(op)`](#\(op))") }
            return [
                headings.contains(section) ? nil : "has no section \(section)",
                isListed ? nil : "has no row about \(op) in the table of ops",
            ].compactMap { $0 }.map { Problem(path: page.path, line: 0, message: $0) }
        }
    }

    /// The page of the command line has a heading with the command of each op.
    static func commands(_ ops: [String], page: SourceFile) -> [Problem] {
        let headings = MarkdownText(page.text).headings.map { $0.text.filter { $0 != "`" } + " " }
        return ops.compactMap { op in
            guard let command = commands[op, default: op] else { return nil }
            let isThere = headings.contains {
                $0.replacing(",", with: " ").contains("grove \(command) ")
            }
            if isThere { return nil }
            return Problem(path: page.path, line: 0, message: "has no section `grove \(command)`")
        }
    }

    /// The list of commands has the command of each op: `Send.self`.
    static func commandList(_ ops: [String], file: SourceFile) -> [Problem] {
        ops.compactMap { op in
            guard let command = commands[op, default: op] else { return nil }
            let type = command.prefix(1).uppercased() + command.dropFirst() + ".self"
            if [" ", "["].contains(where: { file.text.contains($0 + type) }) { return nil }
            return Problem(path: file.path, line: 0, message: "doesn't list \(type)")
        }
    }

    /// The changelog names each op.
    static func changelog(_ ops: [String], page: SourceFile) -> [Problem] {
        ops.filter { !page.text.contains("`\($0)`") }.map {
            Problem(path: page.path, line: 0, message: "doesn't name the op `\($0)`")
        }
    }

    /// The Swift client makes a request of each op.
    static func swiftClient(_ ops: [String], files: [SourceFile]) -> [Problem] {
        let code = files.flatMap(\.swift.code)
        return ops.filter { op in
            let uses = ["Request(.\(op)", ", .\(op))"]
            return !code.contains { line in uses.contains(where: line.contains) }
        }.map {
            Problem(path: "Sources/GroveClient", line: 0, message: "makes no request \($0)")
        }
    }

    /// The client for Python makes a request of each op.
    static func pythonClient(_ ops: [String], file: SourceFile) -> [Problem] {
        ops.filter { op in
            let isThere = [
                "_call(\"\(op)\"", "_frame(\"\(op)\"", "_line(\"\(op)\"", "\"op\": \"\(op)\"",
            ]
            .contains(where: file.text.contains)
            return isThere == notInPython.contains(op)
        }.map {
            Problem(path: file.path, line: 0, message: "makes no request \($0)")
        }
    }

    /// The client for JavaScript makes a request of each op.
    static func javaScriptClient(_ ops: [String], file: SourceFile) -> [Problem] {
        ops.filter { op in
            !["['\(op)', [", "request('\(op)'", "rame('\(op)'", "write('\(op)'"]
                .contains(where: file.text.contains)
        }.map {
            Problem(path: file.path, line: 0, message: "makes no request \($0)")
        }
    }

    /// The types for JavaScript have a method for each op.
    static func javaScriptTypes(_ ops: [String], file: SourceFile) -> [Problem] {
        ops.filter { op in
            let isThere = ["\n  \(op)(", "\n  \(op)<"].contains(where: file.text.contains)
            return isThere == notInTypes.contains(op)
        }.map {
            Problem(path: file.path, line: 0, message: "has no method \($0)")
        }
    }

    /// The page of grants says in its table what each op takes.
    static func grants(_ ops: [String], page: SourceFile) -> [Problem] {
        let cells = MarkdownText(page.text).prose.compactMap { line in
            line.hasPrefix("| `") ? line.split(separator: "|").first : nil
        }
        return ops.filter { op in !cells.contains { $0.contains("`\(op)`") } }.map {
            Problem(path: page.path, line: 0, message: "doesn't say what \($0) takes")
        }
    }

    /// The page of clients says of each op whether it is sent again.
    static func sentAgain(_ ops: [String], page: SourceFile) -> [Problem] {
        let rows = MarkdownText(page.text).prose.filter { $0.hasPrefix("| ") }
        return ops.filter { op in
            !ownOfClients.contains(op) && !rows.contains { $0.contains("`\(op)`") }
        }.map {
            Problem(path: page.path, line: 0, message: "doesn't say whether \($0) is sent again")
        }
    }

    /// The page about new ops names places and suites that exist: each path in its table, and
    /// each `Target/Suite`.
    static func places(page: SourceFile, exists: (String) -> Bool) -> [Problem] {
        MarkdownText(page.text).prose.filter { $0.hasPrefix("| ") }.flatMap { row in
            row.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) && $0.element.contains("/") }
                .map { String($0.element) }
        }.filter { name in
            !exists(name) && !exists("Tests/\(name).swift")
        }.map {
            Problem(path: page.path, line: 0, message: "names \($0), which isn't there")
        }
    }
}
