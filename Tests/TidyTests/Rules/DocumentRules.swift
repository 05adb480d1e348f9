/// Rules about the documentation.
enum DocumentRules {
    static func title(_ file: SourceFile) -> [Problem] {
        let titles = MarkdownText(file.text).headings.filter { $0.level == 1 }
        guard titles.count != 1 else { return [] }
        let message = "\(titles.count) titles; a page has exactly one"
        return [Problem(path: file.path, line: titles.last?.line ?? 0, message: message)]
    }

    /// Prose is wrapped at about 100 columns; ten more save a paragraph from being wrapped again
    /// for one letter.
    static let proseColumnsMax = 110

    /// Long lines of prose; tables and single long words are none.
    static func proseWidth(_ file: SourceFile) -> [Problem] {
        MarkdownText(file.text).prose.enumerated().compactMap { index, line in
            guard line.count > proseColumnsMax, !line.hasPrefix("|"),
                line.trimmed.contains(" ")
            else { return nil }
            let message = "\(line.count) columns; wrap it at about 100"
            return Problem(path: file.path, line: index + 1, message: message)
        }
    }

    /// Links within the repository lead to a file, and to a heading where they name one.
    static func links(
        _ file: SourceFile, exists: (String) -> Bool, page: (String) -> SourceFile?
    ) -> [Problem] {
        MarkdownText(file.text).links.compactMap { link in
            if link.target.hasPrefix("https://") || link.target.hasPrefix("mailto:") { return nil }
            let parts = link.target.split(
                separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let path =
                parts[0].isEmpty ? file.path : resolve(String(parts[0]), from: file.path)
            guard let path, exists(path) else {
                let message = "the link to \(link.target) leads nowhere"
                return Problem(path: file.path, line: link.line, message: message)
            }
            guard parts.count == 2, path.hasSuffix(".md") else { return nil }
            let target = path == file.path ? file : page(path)
            guard let target, !MarkdownText(target.text).anchors.contains(String(parts[1])) else {
                return nil
            }
            let message = "\(path) has no heading for #\(parts[1])"
            return Problem(path: file.path, line: link.line, message: message)
        }
    }

    /// A page that a comment names exists, under one folder only, and has the heading or the
    /// promise that the comment names with it: `limits.md, "Reading"`, `reliability.md, P8`.
    static func references(_ file: SourceFile, pages: [SourceFile]) -> [Problem] {
        let text = file.swift.comments.map { line in
            String(line.drop { "/* ".contains($0) })
        }.joined(separator: " ")
        let pattern = /([A-Za-z0-9-]+\.md)(, (P[0-9]+)\b|, "([^"]+)")?/
        return text.matches(of: pattern).compactMap { match in
            let name = String(match.1)
            let found = pages.filter { $0.name == name }
            func problem(_ message: String) -> Problem {
                Problem(path: file.path, line: 0, message: message)
            }
            guard let page = found.first, found.count == 1 else {
                return problem("there are \(found.count) pages \(name)")
            }
            if let promise = match.3, !page.text.contains("\n| \(promise) |") {
                return problem("\(name) has no promise \(promise)")
            }
            guard let heading = match.4 else { return nil }
            let headings = MarkdownText(page.text).headings.map { $0.text.filter { $0 != "`" } }
            return headings.contains(String(heading))
                ? nil : problem("\(name) has no heading \(heading)")
        }
    }

    /// A path of the repository in a code span leads to a file or folder: `Tests/Fuzz`, or below
    /// `Sources` `GroveEngine/Engine.swift`.
    static func paths(_ page: SourceFile, exists: (String) -> Bool) -> [Problem] {
        let roots = [
            "Sources", "Tests", "docs", "Config", "Benchmarks", "Examples", "Python", ".ci",
        ]
        return MarkdownText(page.text).prose.enumerated().flatMap { index, line in
            codeSpans(line).compactMap { span -> Problem? in
                guard span.wholeMatch(of: /[A-Za-z.][A-Za-z0-9+_.\/-]*/) != nil else { return nil }
                let isFromRoot = roots.contains { span.hasPrefix($0 + "/") }
                let isSwift = span.contains("/") && span.hasSuffix(".swift")
                guard isFromRoot || isSwift else { return nil }
                if exists(span) || exists("Sources/" + span) { return nil }
                return Problem(
                    path: page.path, line: index + 1, message: "there is no file \(span)")
            }
        }
    }

    private static func codeSpans(_ line: String) -> [String] {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }

    /// A relative target as a path from the repository's root; `nil` when it leads out of it.
    static func resolve(_ target: String, from path: String) -> String? {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") {
            switch part {
            case ".": continue
            case "..":
                guard parts.popLast() != nil else { return nil }
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    /// Codes of the protocol that this release never sends; the index of error pages lists them
    /// under "Reserved codes".
    static let reservedCodes = ["NOT_OWNER", "UNAVAILABLE", "INTERNAL"]

    /// Each code has a page, each page a code, and a page begins with its code.
    static func errorPages(codes: [String], pages: [SourceFile]) -> [Problem] {
        let folder = "docs/reference/errors"
        let names = Set(pages.map { String($0.name.dropLast(3)) })
        let missing = codes.filter { !names.contains($0) }.map {
            Problem(
                path: "\(folder)/\($0).md", line: 0,
                message: "code \($0) has no page: say when it happens and what to do")
        }
        let wrong = pages.flatMap { page -> [Problem] in
            let name = String(page.name.dropLast(3))
            if name == "README" { return [] }
            guard codes.contains(name) else {
                return [Problem(path: page.path, line: 0, message: "no code is called \(name)")]
            }
            let headings = MarkdownText(page.text).headings
            if headings.first?.text == name { return [] }
            return [Problem(path: page.path, line: 1, message: "its title isn't \(name)")]
        }
        return missing + wrong
    }

    /// The codes that begin the rows of a page's tables, in their order.
    static func tableCodes(_ page: SourceFile) -> [String] {
        MarkdownText(page.text).prose.compactMap { line in
            guard line.hasPrefix("| `") || line.hasPrefix("| [`") else { return nil }
            let parts = line.split(separator: "`")
            return parts.count > 1 ? String(parts[1]) : nil
        }
    }

    /// The sections that every error page has, in this order.
    static let errorSections = ["When it happens", "Example", "What to do", "Data"]

    static func errorPageSections(_ page: SourceFile) -> [Problem] {
        let sections = MarkdownText(page.text).headings.filter { $0.level == 2 }.map(\.text)
        guard sections != errorSections else { return [] }
        let message = "its sections are \(sections), not \(errorSections)"
        return [Problem(path: page.path, line: 0, message: message)]
    }

    /// Each key stands in backticks on the page.
    static func configurationKeys(_ keys: [String], page: SourceFile) -> [Problem] {
        let spans = Set(MarkdownText(page.text).codeSpans)
        return keys.filter { !spans.contains($0) }.map {
            Problem(path: page.path, line: 0, message: "says nothing about the key \($0)")
        }
    }
}
