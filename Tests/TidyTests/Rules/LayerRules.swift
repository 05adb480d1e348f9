import Foundation

/// The allowed imports of each target.
enum LayerRules {
    /// The imports of one target.
    struct Layer {
        /// Modules of this package and of packages it depends on: the target's dependencies in
        /// Package.swift, and its row in docs/internals/architecture.md.
        var modules: [String]
        /// Modules that come with the toolchain.
        var toolchain: [String] = []
    }

    /// System modules for adapters.
    static let system = ["Darwin", "Dispatch", "Foundation", "Glibc", "Synchronization"]

    /// The list, in the order of architecture.md: a target imports only what stands above it.
    static let layers: [(target: String, layer: Layer)] = [
        ("OrderedJSON", Layer(modules: [])),
        (
            "CEL",
            // The files of the time zone database, and a lock for those that were read.
            Layer(
                modules: ["OrderedJSON"],
                toolchain: ["Darwin", "Glibc", "Musl", "Synchronization"])
        ),
        ("GroveWire", Layer(modules: ["OrderedJSON"])),
        ("GroveAccess", Layer(modules: ["COpenSSL", "OrderedJSON", "GroveWire"])),
        (
            "Transducers",
            Layer(
                modules: ["OrderedJSON"],
                // Locks and atomics of its own runtime, and what observes states.
                toolchain: [
                    "Darwin", "Glibc", "Musl", "Observation", "SwiftUI", "Synchronization",
                ])
        ),
        ("TransducerRoutes", Layer(modules: ["OrderedJSON", "Transducers"])),
        ("Statecharts", Layer(modules: ["OrderedJSON", "CEL", "Transducers"])),
        (
            "ChartSimulation",
            Layer(modules: ["OrderedJSON", "CEL", "Transducers", "Statecharts"])
        ),
        ("ChartImport", Layer(modules: ["OrderedJSON"])),
        ("Diagrams", Layer(modules: ["OrderedJSON", "Transducers"])),
        (
            "GroveEngine",
            Layer(
                modules: ["CPrefetch", "OrderedJSON", "GroveWire", "GroveAccess", "Transducers"])
        ),
        (
            "GroveProtocol",
            Layer(
                modules: ["OrderedJSON", "GroveWire", "GroveAccess", "Transducers", "GroveEngine"])
        ),
        ("GroveHTTP", Layer(modules: ["COpenSSL", "OrderedJSON", "GroveWire"])),
        ("GroveNetwork", Layer(modules: [], toolchain: system)),
        ("GroveTLS", Layer(modules: ["COpenSSL"], toolchain: system)),
        (
            "GroveStorage",
            Layer(
                modules: [
                    "CPrefetch", "OrderedJSON", "GroveAccess", "GroveEngine", "CSQLite", "CZlib",
                ],
                toolchain: system)
        ),
        (
            "GroveEffects",
            Layer(
                modules: [
                    "OrderedJSON", "GroveWire", "Transducers", "GroveEngine", "GroveNetwork",
                    "CCurl",
                ], toolchain: system)
        ),
        (
            "GroveServer",
            Layer(
                modules: [
                    "OrderedJSON", "GroveWire", "GroveAccess", "Transducers", "GroveEngine",
                    "GroveProtocol", "GroveHTTP", "GroveNetwork", "GroveTLS", "GroveStorage",
                    "GroveEffects", "Statecharts", "Diagrams", "CConsole", "CZlib", "CEpoll",
                    "Logging", "Metrics",
                ],
                toolchain: system)
        ),
        (
            "GroveClient",
            Layer(
                modules: ["OrderedJSON", "GroveWire", "GroveNetwork", "GroveTLS"],
                toolchain: system + ["Observation"])
        ),
        (
            "GroveBench",
            Layer(
                modules: ["OrderedJSON", "GroveNetwork", "GroveTLS", "GroveClient", "CEpoll"],
                toolchain: system)
        ),
        (
            "GroveCommands",
            Layer(
                modules: [
                    "OrderedJSON", "GroveWire", "GroveAccess", "Transducers", "GroveEngine",
                    "GroveProtocol", "GroveNetwork", "GroveStorage", "GroveServer", "GroveClient",
                    "GroveBench",
                    "CEL", "Statecharts", "ChartImport", "ChartSimulation", "Diagrams",
                    "ArgumentParser", "Logging",
                ],
                toolchain: system)
        ),
        (
            "Grove",
            Layer(modules: [
                "OrderedJSON", "Transducers", "TransducerRoutes", "GroveEngine", "GroveNetwork",
                "GroveServer", "GroveCommands",
            ])
        ),
        ("BuiltInMachines", Layer(modules: ["Transducers"])),
        (
            "TransducerTesting",
            Layer(
                modules: ["OrderedJSON", "Transducers", "CustomDump"],
                toolchain: ["Foundation", "Testing"])
        ),
        ("GroveTool", Layer(modules: ["BuiltInMachines", "Grove"])),
    ]

    static func imports(_ file: SourceFile) -> [Problem] {
        let parts = file.path.split(separator: "/")
        guard parts.first == "Sources", parts.count > 2 else { return [] }
        let target = String(parts[1])
        guard let layer = layers.first(where: { $0.target == target })?.layer else {
            let message = "target \(target) has no row in LayerRules.layers"
            return [Problem(path: file.path, line: 0, message: message)]
        }
        return importedModules(file.swift.code).filter {
            !layer.modules.contains($0.module) && !layer.toolchain.contains($0.module)
        }.map {
            let message = "\(target) may not import \($0.module) (docs/internals/architecture.md)"
            return Problem(path: file.path, line: $0.line, message: message)
        }
    }

    /// The modules that code imports, with their lines.
    static func importedModules(_ code: [String]) -> [(line: Int, module: String)] {
        let kinds = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        return code.enumerated().compactMap { index, line in
            var words = line.split(separator: " ")[...]
            while let word = words.first, word.hasPrefix("@") || access.contains(String(word)) {
                words = words.dropFirst()
            }
            guard words.first == "import" else { return nil }
            words = words.dropFirst()
            if let kind = words.first, kinds.contains(String(kind)) { words = words.dropFirst() }
            guard let module = words.first?.split(separator: ".").first else { return nil }
            return (index + 1, String(module))
        }
    }

    private static let access = ["public", "package", "internal", "fileprivate", "private"]

    /// The dependencies of each target that Package.swift names, in their order there.
    static func declaredDependencies(_ package: SourceFile) -> [String: [String]] {
        // Targets are declared one after the other; within one, `dependencies:` is followed by
        // names and by `.product(name:package:)`, of which the name counts.
        var result: [String: [String]] = [:]
        let text = package.text.split(separator: "\n").map { $0.trimmed }.joined(separator: " ")
        for keyword in [".target(", ".executableTarget(", ".testTarget("] {
            for part in text.components(separatedBy: keyword).dropFirst() {
                guard let name = firstQuoted(in: part) else { continue }
                let parts = part.components(separatedBy: "dependencies: [")
                guard parts.count > 1 else {
                    result[name] = []
                    continue
                }
                let list = parts[1].components(separatedBy: "]")[0]
                let names = list.components(separatedBy: "package: ").enumerated().map {
                    $0.offset == 0 ? $0.element : afterQuoted(in: $0.element)
                }.joined()
                let quoted = names.split(separator: "\"", omittingEmptySubsequences: false)
                result[name] = quoted.enumerated().filter { $0.offset % 2 == 1 }
                    .map { String($0.element) }
            }
        }
        return result
    }

    private static func firstQuoted(in text: String) -> String? {
        let parts = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[1]) : nil
    }

    private static func afterQuoted(in text: String) -> String {
        let parts = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[2]) : text
    }

    /// The rows of the table of targets in architecture.md: target and modules.
    static func documentedLayers(_ page: SourceFile) -> [(target: String, modules: [String])] {
        MarkdownText(page.text).prose.compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmed }
            guard cells.count >= 5, cells[1].hasPrefix("`") else { return nil }
            let modules = cells[2] == "nothing" ? [] : MarkdownText(cells[2]).codeSpans
            return (cells[1].filter { $0 != "`" }, modules)
        }
    }

    /// Every folder of the sources is on the map: a line of the tree begins with its target, or
    /// names it after its target.
    ///
    /// - Parameter paths: The paths of the sources.
    static func unmapped(_ paths: [String], page: SourceFile) -> [Problem] {
        let tree = MarkdownText(page.text).blocks.first { $0.lines.first == "Sources/" }
        let words = (tree?.lines ?? []).flatMap { line in
            line.split { !($0.isLetter || $0.isNumber) }
        }
        let known = Set(words)
        let folders = Set(
            paths.flatMap { $0.split(separator: "/").dropFirst().dropLast().prefix(2) })
        return folders.filter { !known.contains($0) && !$0.contains(".") }.sorted().map {
            Problem(path: page.path, line: 0, message: "the folder \($0) isn't on the map")
        }
    }
}
