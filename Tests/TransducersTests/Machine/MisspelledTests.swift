import Foundation
import Testing

/// What the compiler says of machines that are nearly right. It is asked once for all of them.
@Suite("Machines that don't compile")
struct MisspelledTests {
    /// A machine, and what its error says.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let code: String
        let message: String
        var testDescription: String { name }

        /// - Parameter members: What stands in it besides its states and events.
        init(
            _ name: String, _ kind: String, _ members: String, says message: String
        ) {
            self.name = name
            self.message = message
            code = """
                enum \(name): \(kind) {
                    enum State: NonTerminal { case only }
                    enum Event { case event }
                    \(members)
                }
                """
        }
    }

    private static let update = "static func update(_ state: inout State, event: Event)"

    static let cases = [
        Case(
            "EffectWithoutMark", "EffectTransducer", "\(update) -> Effect { .event(.event) }",
            says: "`update` returns `Effect?`: write the question mark"),
        Case(
            "TupleWithoutMark", "EffectTransducer",
            "typealias Output = Int; \(update) -> (Self.Effect, Int) { (.event(.event), 1) }",
            says: "`update` returns `(Self.Effect?, Output)`: write the question mark"),
        Case(
            "UnnamedOutput", "EffectTransducer", "\(update) -> (Self.Effect?, Int) { (nil, 1) }",
            says: "an output that the machine names: add `typealias Output = …`"),
        Case(
            "OptionalOutput", "EffectTransducer",
            "enum Output { case word }; \(update) -> (Self.Effect?, Output?) { (nil, nil) }",
            says: "add `typealias Output = Said?`"),
        Case(
            "OnlyOutput", "EffectTransducer",
            "typealias Output = Int; \(update) -> Int { 1 }",
            says: "a machine without effects is a Transducer"),
        Case(
            "OnlyOptionalOutput", "EffectTransducer",
            "enum Output { case word }; \(update) -> Output? { nil }",
            says: "a machine without effects is a Transducer"),
        Case(
            "NothingReturned", "EffectTransducer", "\(update) {}",
            says: "a machine without effects is a Transducer"),
        Case(
            "SendingEvent", "EffectTransducer",
            "static func update(_ state: inout State, event: sending Event) -> Effect? { nil }",
            says: "an EffectTransducer needs `static func update("),
        Case(
            "PureSendingEvent", "Transducer",
            "static func update(_ state: inout State, event: sending Event) -> Int { 1 }",
            says: "a Transducer needs `static func update("),
        Case(
            "NoUpdate", "EffectTransducer", "",
            says: "an EffectTransducer needs `static func update("),
        Case(
            "PureWithEffect", "Transducer", "\(update) -> Effect? { nil }",
            says: "a Transducer has no effects: make the machine an EffectTransducer"),
        Case(
            "PureWithEffectOutput", "Transducer",
            "\(update) -> TransducerEffect<Self>? { .event(.event) }",
            says: "a Transducer has no effects: make the machine an EffectTransducer"),
    ]

    /// The errors of all machines, each with the line that it is about.
    private static let errors: [(line: Int, text: String)] = {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("misspelled-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }  // Left to the system if not.
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appendingPathComponent("Machines.swift")
            let code = "import Transducers\n" + cases.map(\.code).joined(separator: "\n") + "\n"
            try Data(code.utf8).write(to: file)
            return read(try compile(file))
        } catch {
            return [(0, "\(error)")]
        }
    }()

    /// What the compiler says of a file, checked against the library that was just built.
    private static func compile(_ file: URL) throws -> String {
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swiftc", "-typecheck", "-swift-version", "6",
            "-I", products.appendingPathComponent("Modules").path, file.path,
        ]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        let said = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: said, as: UTF8.self)
    }

    /// The lines `…Machines.swift:LINE:COLUMN: error: TEXT`.
    private static func read(_ said: String) -> [(line: Int, text: String)] {
        said.split(separator: "\n").compactMap { line in
            guard let match = line.firstMatch(of: /^\/.*Machines\.swift:(\d+):\d+: error: (.*)$/),
                let number = Int(match.1)
            else { return nil }
            return (number, String(match.2))
        }
    }

    @Test(arguments: cases)
    func `the error says what to write`(_ one: Case) throws {
        let index = try #require(Self.cases.firstIndex { $0.name == one.name })
        // Behind the import, five lines each.
        let first = 2 + index * 5
        let errors = Self.errors.filter { (first..<first + 5).contains($0.line) }.map(\.text)
        #expect(errors.contains { $0.contains(one.message) }, "\(Self.errors)")
    }
}
