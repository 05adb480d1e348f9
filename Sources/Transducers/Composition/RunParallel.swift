/// Runs two machines at once in separate loops, and waits for both.
///
///     let result = try await runParallel(.any) {
///         try await Download.run(initialState: .init(), proxy: download)
///     } second: {
///         try await Deadline.run(initialState: .init(), proxy: deadline)
///     }
///
/// Each closure runs its machine on a new actor, unless it names another one. Neither machine is
/// left running: the one that isn't needed any more is canceled and awaited.
///
/// - Parameters:
///   - termination: The machines whose end ends both. The other one is then canceled.
///   - isolation: The caller's actor.
///   - first: Runs the first machine.
///   - second: Runs the second machine.
/// - Returns: The results of the machines that weren't canceled; both, with `.all`.
/// - Throws: The error of the first machine to fail, after the other one was canceled and has
///   ended; `CancellationError` when the caller's task was canceled.
public func runParallel<First: Sendable, Second: Sendable>(
    _ termination: ParallelTermination = .all, isolation: isolated (any Actor)? = #isolation,
    first: @escaping @Sendable () async throws -> First,
    second: @escaping @Sendable () async throws -> Second
) async throws -> ParallelResult<First, Second> {
    try await withThrowingTaskGroup(of: ParallelResult<First, Second>.self) { group in
        group.addTask { ParallelResult(first: try await first()) }
        group.addTask { ParallelResult(second: try await second()) }
        var result = ParallelResult<First, Second>()
        var isOver = false
        while true {
            do {
                guard let end = try await group.next() else { break }
                result.first = end.first ?? result.first
                result.second = end.second ?? result.second
            } catch {
                // The canceled side may throw CancellationError.
                if isOver { continue }
                group.cancelAll()
                throw error
            }
            if !isOver, result.isEnough(for: termination) {
                isOver = true
                group.cancelAll()
            }
        }
        return result
    }
}

/// The results of two machines that ran at once.
public struct ParallelResult<First, Second> {
    /// The first machine's result, or `nil` if it was stopped.
    public fileprivate(set) var first: First?
    /// The second machine's result, or `nil` if it was stopped.
    public fileprivate(set) var second: Second?

    fileprivate func isEnough(for termination: ParallelTermination) -> Bool {
        switch termination {
        case .any: true
        case .all: first != nil && second != nil
        case .first: first != nil
        case .second: second != nil
        }
    }
}

extension ParallelResult: Sendable where First: Sendable, Second: Sendable {}
extension ParallelResult: Equatable where First: Equatable, Second: Equatable {}
