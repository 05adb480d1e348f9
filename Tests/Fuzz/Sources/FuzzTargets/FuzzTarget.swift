/// Something that takes any bytes and must never break.
public struct FuzzTarget: Sendable {
    /// Its name on the command line; its corpus is the folder of this name.
    public let name: String

    /// Pieces that mutations put in.
    public let words: [String]

    /// Inputs that `fuzz smoke` tries.
    public let smokeInputs: Int

    /// Tries one input.
    ///
    /// - Throws: ``Finding`` when something is wrong.
    public let run: @Sendable ([UInt8]) throws -> Void

    init(
        _ name: String, words: [String] = [], smokeInputs: Int,
        run: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.words = words
        self.smokeInputs = smokeInputs
        self.run = run
    }

    /// All of them. `canary` has a bug on purpose: a runner that doesn't find it finds nothing.
    public static let all: [FuzzTarget] = [
        framer, json, request, journal, snapshot, cursor, stateful, canary,
    ]

    /// The target of this name.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A failure that a target found.
public struct Finding: Error, CustomStringConvertible {
    /// The description of the failure.
    public let description: String

    init(_ description: String) { self.description = description }
}
