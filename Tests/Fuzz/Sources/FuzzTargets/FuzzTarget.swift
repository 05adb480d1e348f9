/// Code that accepts any bytes and must never fail.
public struct FuzzTarget: Sendable {
    /// Its name on the command line; its corpus is the folder of this name.
    public let name: String

    /// Byte sequences that mutations insert.
    public let words: [String]

    /// The number of inputs that `fuzz smoke` runs.
    public let smokeInputs: Int

    /// Runs one input.
    ///
    /// - Throws: ``Finding`` if something is wrong.
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

    /// All targets. `canary` has a planted bug: a runner that doesn't find it doesn't work.
    public static let all: [FuzzTarget] = [
        framer, json, cel, request, journal, snapshot, cursor, stateful, chart, chartState, scxml,
        xstate, tls, grant, token, accounts, unknown, http, webSocket, web,
        canary,
    ]

    /// Returns the target with this name.
    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A failure that a target found.
public struct Finding: Error, CustomStringConvertible {
    /// The description of the failure.
    public let description: String

    init(_ description: String) { self.description = description }
}
