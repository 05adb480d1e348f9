import GroveEngine

/// The bounds of single machines as they are written in a configuration: one text a bound, such
/// as `sensor:age-s=86400`.
struct MachineBounds {
    /// Machines that may have bounds; each costs a look a second.
    static let machinesMax = 256

    /// What was read so far.
    private(set) var byMachine: [String: JournalBounds] = [:]

    /// What is wrong with a text, for people.
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    /// The bounds there are.
    private enum Bound: String, CaseIterable {
        case age = "age-s"
        case steps
        case bytes

        /// The greatest number it may have, as `keep-age-s`, `keep-steps` and `keep-bytes` do.
        var max: Int64 { self == .age ? 3_000_000_000 : 1 << 53 }

        var member: WritableKeyPath<JournalBounds, Int64?> {
            switch self {
            case .age: \.ageMillisecondsMax
            case .steps: \.stepsMax
            case .bytes: \.bytesMax
            }
        }

        /// How many of the member's unit one of the bound's is.
        var factor: Int64 { self == .age ? 1_000 : 1 }
    }

    /// Adds the bound that a text means.
    ///
    /// - Throws: what is wrong with it; nothing is added then.
    mutating func add(_ text: String) throws(Problem) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let sides = parts.last?.split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let sides, sides.count == 2 else {
            throw Problem(
                description: "must be machine:bound=number, such as sensor:age-s=86400, not "
                    + "\"\(text)\"")
        }
        let machine = String(parts[0])
        guard Array(machine.utf8).withUnsafeBytes({ MachineName.isValid($0) }) else {
            throw Problem(description: "\"\(machine)\" in \"\(text)\" is no machine's name")
        }
        guard let bound = Bound(rawValue: String(sides[0])) else {
            let known = Bound.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(
                description: "\"\(sides[0])\" in \"\(text)\" is no bound; there are \(known)")
        }
        guard let number = Int64(sides[1]), (1...bound.max).contains(number) else {
            throw Problem(
                description: "\"\(text)\" must have an integer from 1 to \(bound.max)")
        }
        guard byMachine[machine]?[keyPath: bound.member] == nil else {
            throw Problem(description: "\(machine):\(bound.rawValue) is there twice")
        }
        guard byMachine[machine] != nil || byMachine.count < Self.machinesMax else {
            throw Problem(
                description: "\"\(text)\" is of a machine too many: \(Self.machinesMax) may have "
                    + "bounds")
        }
        byMachine[machine, default: JournalBounds()][keyPath: bound.member] =
            number * bound.factor
    }
}
