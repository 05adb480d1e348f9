import Foundation
import Testing

@testable import CEL

/// The page of the expression language: its examples, and that it names everything.
struct ExpressionsPageTests {
    private let page: String

    init() throws {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        page = try String(
            contentsOf: folder.appendingPathComponent("docs/reference/expressions.md"),
            encoding: .utf8)
    }

    @Test func `every example has the value in its comment`() throws {
        var count = 0
        for line in examples() {
            count += 1
            let parts = line.components(separatedBy: " // ")
            try #require(parts.count == 2, "\(line)")
            if parts[1].hasPrefix("error: ") {
                let error = #expect(throws: CELError.self, "\(line)") { try value(parts[0]) }
                let message = parts[1].dropFirst("error: ".count)
                #expect(
                    error?.message.contains(message) == true, "\(line): \(error?.message ?? "")")
            } else {
                let found = try value(parts[0])
                let expected = try value(parts[1])
                #expect(found.type.name == expected.type.name, "\(line): \(found)")
                #expect(found == expected, "\(line): \(found)")
            }
        }
        #expect(count > 115)
    }

    @Test func `every function, macro and operator has an example`() {
        let text = examples().joined(separator: "\n")
        for name in FunctionTable.globals.keys { #expect(text.contains("\(name)("), "\(name)") }
        for name in FunctionTable.members.keys { #expect(text.contains(".\(name)("), "\(name)") }
        for macro in Macro.allCases { #expect(text.contains(".\(macro)("), "\(macro)") }
        for found in BinaryOperator.allCases {
            #expect(text.contains(" \(found.rawValue) "), "\(found)")
        }
    }

    @Test func `the page has the limits of the code`() {
        #expect(CELLimits.sourceBytesMax == 65_536 && CELLimits.levelsMax == 250)
        #expect(CELLimits.nestingMax == 64)
        #expect(CELLimits.nodesMax == 20_000 && CELLimits.standard.steps == 10_000)
        #expect(CELLimits.regexInstructionsMax == 5_000 && CELLimits.regexRepeatMax == 1_000)
        #expect(page.contains("| 5,000; 100; 1,000 |") && page.contains("| 20,000 |"))
    }

    /// The lines of the blocks `cel`.
    private func examples() -> [String] {
        var isExample = false
        var lines: [String] = []
        for line in page.components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                isExample = line == "```cel"
            } else if isExample {
                lines.append(line)
            }
        }
        return lines
    }
}
