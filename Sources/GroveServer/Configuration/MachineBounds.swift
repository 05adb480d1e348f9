import GroveEngine

/// The bounds of single machines in a configuration: one text per bound, such as
/// `sensor:age-s=86400`.
struct MachineBounds {
    /// The bounds that were read so far.
    private(set) var byMachine: [String: JournalBounds] = [:]

    enum Bound: String, CaseIterable {
        case age = "age-s"
        case steps
        case bytes

        /// The greatest number it may have, as `keep-age-s`, `keep-steps` and `keep-bytes` do.
        var max: Int { self == .age ? 3_000_000_000 : 1 << 53 }

        var member: WritableKeyPath<JournalBounds, Int64?> {
            switch self {
            case .age: \.ageMillisecondsMax
            case .steps: \.stepsMax
            case .bytes: \.bytesMax
            }
        }

        /// A number of the configuration in the unit of the member; `nil`, for no bound, for 0.
        func value(_ number: Int) -> Int64? {
            number == 0 ? nil : Int64(number) * (self == .age ? 1_000 : 1)
        }
    }

    /// Parses the bounds of all texts.
    ///
    /// - Throws: The errors of all texts.
    static func read(_ texts: [String]) throws(ConfigurationError) -> [String: JournalBounds] {
        var bounds = MachineBounds()
        var problems: [ConfigurationProblem] = []
        for text in texts {
            do throws(ConfigurationProblem) { try bounds.add(text) } catch {
                problems.append(error)
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        return bounds.byMachine
    }

    /// Parses and adds the bound of one text.
    ///
    /// - Throws: The error of the text; nothing is added then.
    mutating func add(_ text: String) throws(ConfigurationProblem) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let sides = parts.last?.split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let sides, sides.count == 2 else {
            throw ConfigurationProblem(
                "must be machine:bound=number, such as sensor:age-s=86400, not \"\(text)\"")
        }
        let machine = String(parts[0])
        guard Array(machine.utf8).withUnsafeBytes({ MachineName.isValid($0) }) else {
            throw ConfigurationProblem("\"\(machine)\" in \"\(text)\" is no machine's name")
        }
        guard let bound = Bound(rawValue: String(sides[0])) else {
            let known = Bound.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConfigurationProblem(
                "\"\(sides[0])\" in \"\(text)\" is no bound; there are \(known)")
        }
        guard let number = Int(sides[1]), (1...bound.max).contains(number) else {
            throw ConfigurationProblem("\"\(text)\" must have an integer from 1 to \(bound.max)")
        }
        guard byMachine[machine]?[keyPath: bound.member] == nil else {
            throw ConfigurationProblem("\(machine):\(bound.rawValue) is there twice")
        }
        guard byMachine[machine] != nil || byMachine.count < Self.machinesMax else {
            throw ConfigurationProblem(
                "\"\(text)\" is of a machine too many: \(Self.machinesMax) may have bounds")
        }
        byMachine[machine, default: JournalBounds()][keyPath: bound.member] = bound.value(number)
    }
}
