/// Code that is not allowed, and its exceptions.
enum CodeRules {
    /// Targets whose results are functions of their inputs alone.
    static let pureTargets = [
        "OrderedJSON", "CEL", "GroveWire", "GroveAccess", "Transducers", "TransducerRoutes",
        "Statecharts", "ChartSimulation", "ChartImport", "GroveEngine", "GroveProtocol",
        "GroveHTTP",
        "BuiltInMachines",
    ]

    /// Where machines run in process: what runs starts tasks and waits by clocks. The machines
    /// themselves, and all that decides about them, is pure as everything else.
    static let runtime = [
        "Sources/Transducers/InProcess/",
        "Sources/Transducers/Machine/TransducerEffect+Operations.swift",
    ]

    /// Calls that pure targets don't make, with the replacement.
    static let impure: [(call: String, instead: String)] = [
        ("Date(", "take a Timestamp as an argument"),
        ("Date.now", "take a Timestamp as an argument"),
        ("ContinuousClock", "take a Timestamp as an argument"),
        ("SuspendingClock", "take a Timestamp as an argument"),
        ("clock_gettime(", "take a Timestamp as an argument"),
        ("random()", "take random bits as an argument"),
        ("random(in", "take random bits as an argument"),
        ("SystemRandomNumberGenerator", "take random bits as an argument"),
        ("UUID(", "take random bits as an argument"),
        ("DispatchQueue", "leave queues to GroveServer"),
        ("Task {", "leave tasks to whoever calls"),
        ("Task.detached", "leave tasks to whoever calls"),
        ("Task.sleep", "take a Timestamp as an argument"),
        ("hashValue", "it differs from process to process: compare the values"),
        ("ProcessInfo", "take what the environment says as an argument"),
        ("getenv(", "take what the environment says as an argument"),
        ("FileManager", "leave files to adapters"),
    ]

    /// Code that is not allowed.
    static let forbidden: [(text: String, instead: String)] = [
        ("try!", "throw, or say by precondition why it can't fail"),
        ("as!", "cast with as? and say what else it could be"),
        ("unowned(unsafe)", "hold it weakly"),
    ]

    /// Words that put work off.
    static let postponed = ["TODO", "FIXME", "XXX", "HACK"]

    static func purity(_ file: SourceFile) -> [Problem] {
        guard pureTargets.contains(where: { file.path.hasPrefix("Sources/\($0)/") }),
            !runtime.contains(where: file.path.hasPrefix)
        else { return [] }
        return impure.flatMap { rule in
            find(rule.call, in: file) { "\(rule.call) in a pure target: \(rule.instead)" }
                .filter { !drawsFromArgument(file.swift.code[$0.line - 1]) }
        }
    }

    /// Whether random bits are drawn from a generator that the line names.
    private static func drawsFromArgument(_ line: String) -> Bool {
        contains("random(in", in: line) && line.contains("using: &")
    }

    static func forbiddenText(_ file: SourceFile) -> [Problem] {
        forbidden.flatMap { rule in
            find(rule.text, in: file) { "\(rule.text) stands nowhere here: \(rule.instead)" }
        }
    }

    /// Code that the compiler can't check. It is allowed only where machines run in process, and
    /// there with the reason why it is right.
    static func unchecked(_ file: SourceFile) -> [Problem] {
        ["@unchecked", "nonisolated(unsafe)"].flatMap { text -> [Problem] in
            find(text, in: file) { "" }.compactMap { found in
                let message: String
                if !uncheckedPlaces.contains(where: file.path.hasPrefix) {
                    message = "\(text) stands nowhere here: confine it to an actor on a queue"
                } else if !hasReason(near: found.line, in: file) {
                    message = "\(text) needs its reason, in a comment just before or after it"
                } else {
                    return nil
                }
                return Problem(path: file.path, line: found.line, message: message)
            }
        }
    }

    /// The three types by which the machine library runs machines on any actor with values that
    /// need not be sendable; and tests that do what users may do.
    static let uncheckedPlaces = [
        "Sources/Transducers/InProcess/Locked.swift",
        "Sources/Transducers/InProcess/Handover.swift",
        "Sources/Transducers/Machine/EffectEnv.swift",
        // An object that its value uses only while nobody else has it.
        "Sources/OrderedJSON/Coding/EncodingMemory.swift",
        // A pointer to what the library makes to be shared by threads.
        "Sources/GroveTLS/TLSContext.swift",
        // The memory that signal handlers read, and its test double.
        "Sources/GroveServer/Crashes/SignalMemory.swift", "Tests/GroveEngineTests/Holds/",
        "Tests/TransducersTests/InProcess/SynchronousDriverTests.swift",
    ]

    /// Whether a comment that is no documentation stands within a few lines.
    private static func hasReason(near line: Int, in file: SourceFile) -> Bool {
        let comments = file.swift.comments
        return (max(0, line - 7)..<min(comments.count, line + 3)).contains { index in
            let text = comments[index].trimmed
            return text.hasPrefix("//") && !text.hasPrefix("///")
        }
    }

    static func printing(_ file: SourceFile) -> [Problem] {
        guard file.path.hasPrefix("Sources/"), !file.path.hasPrefix("Sources/GroveCommands/") else {
            return []
        }
        return find("print(", in: file) { "only the tool prints; others log or return" }
    }

    static func postponedWork(_ file: SourceFile) -> [Problem] {
        file.swift.comments.enumerated().flatMap { index, comment in
            postponed.filter { contains($0, in: comment) }.map {
                let message = "\($0): do it, or write an issue that says why not yet"
                return Problem(path: file.path, line: index + 1, message: message)
            }
        }
    }

    /// SQL is made of constant texts with bound parameters.
    static func interpolatedSQL(_ file: SourceFile) -> [Problem] {
        guard file.path.hasPrefix("Sources/GroveStorage/") else { return [] }
        let verbs = [
            "SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ", "DROP ", "ALTER ", "PRAGMA ",
            "ATTACH ", "REPLACE ", "WITH ",
        ]
        return file.swift.literals.filter { literal in
            let text = literal.text.drop { $0 == " " || $0 == "\n" }
            return literal.isInterpolated && verbs.contains(where: text.hasPrefix)
        }.map {
            let message = "values in SQL are bound, never put into its text"
            return Problem(path: file.path, line: $0.line, message: message)
        }
    }

    private static func find(
        _ wanted: String, in file: SourceFile, message: () -> String
    ) -> [Problem] {
        file.swift.code.enumerated().filter { contains(wanted, in: $0.element) }.map {
            Problem(path: file.path, line: $0.offset + 1, message: message())
        }
    }

    /// Whether `wanted` stands in `text` and isn't part of a longer word there.
    static func contains(_ wanted: String, in text: String) -> Bool {
        let wanted = Array(wanted.utf8)
        let text = Array(text.utf8)
        guard let first = wanted.first, let last = wanted.last, wanted.count <= text.count else {
            return false
        }
        for start in 0...(text.count - wanted.count) where text[start] == first {
            let end = start + wanted.count
            guard text[start..<end].elementsEqual(wanted) else { continue }
            let beginsInside = start > 0 && isWord(first) && isWord(text[start - 1])
            let endsInside = end < text.count && isWord(last) && isWord(text[end])
            if !beginsInside && !endsInside { return true }
        }
        return false
    }

    /// Whether a byte can be part of an identifier.
    static func isWord(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: byte >= 0x80
        }
    }
}
