import Synchronization

/// An expression, compiled or to be compiled when it is needed, which can be evaluated any number
/// of times, from any thread.
public struct CELProgram: Sendable {
    /// Its code, which nothing changes.
    private final class Compiled: Sendable {
        let code: Code

        init(_ code: Code) { self.code = code }
    }

    /// Its parts behind one reference: who keeps a program copies it for each evaluation.
    private final class Parts: Sendable {
        let expression: String
        let type: CELType
        let environment: CELEnvironment
        /// The code with one reference of this; set once, and read without counting another one.
        /// `AtomicLazyReference` would cost each evaluation 60 ns.
        private let kept = Atomic<Unmanaged<Compiled>?>(nil)

        init(_ expression: String, _ type: CELType, _ environment: CELEnvironment) {
            self.expression = expression
            self.type = type
            self.environment = environment
        }

        deinit { kept.load(ordering: .acquiring)?.release() }

        var isCompiled: Bool { kept.load(ordering: .acquiring) != nil }

        /// The code, which is made now if it isn't there. Threads that come at the same time may
        /// each make it, and all get the same one.
        ///
        /// - Parameter body: Uses the code, while this exists.
        @inline(__always)
        func withCode<Value>(_ body: (Code) -> Value) -> Value {
            (kept.load(ordering: .acquiring) ?? compile())._withUnsafeGuaranteedRef {
                body($0.code)
            }
        }

        @inline(never)
        private func compile() -> Unmanaged<Compiled> { keep(environment.code(of: expression)) }

        /// Keeps the code, unless there is one.
        @discardableResult
        func keep(_ code: Code) -> Unmanaged<Compiled> {
            let made = Unmanaged.passRetained(Compiled(code))
            let (_, other) = kept.compareExchange(
                expected: nil, desired: made, ordering: .acquiringAndReleasing)
            guard let other else { return made }
            made.release()
            return other
        }
    }

    private let parts: Parts

    /// A compiled expression.
    init(code: Code, type: CELType, expression: String, environment: CELEnvironment) {
        parts = Parts(expression, type, environment)
        parts.keep(code)
    }

    /// An expression that is compiled when it is needed.
    init(deferring expression: String, in environment: CELEnvironment) {
        parts = Parts(expression, .dyn, environment)
    }

    var code: Code { withExtendedLifetime(parts) { $0.withCode { $0 } } }
    /// The type of the result; `dyn` if it isn't known before, or types weren't checked.
    public var type: CELType { parts.type }
    /// The text of the expression.
    public var expression: String { parts.expression }
    /// The environment that it was compiled in.
    public var environment: CELEnvironment { parts.environment }

    /// Whether it is compiled: a deferred one isn't, until it is needed.
    public var isCompiled: Bool { parts.isCompiled }

    /// The parts of its constant regular expressions, compiled or not.
    public var constantRegexParts: Int { code.patternParts }

    /// What is wrong with its first constant that is a wrong regular expression: its evaluation
    /// fails. `nil` if all are right, or weren't compiled in advance.
    public var constantRegexFault: String? { code.patternFault }

    /// The steps that computed its constant parts when it was compiled.
    public var constantSteps: Int { code.constantSteps }

    /// The value, if the expression is constant.
    public var constant: CELValue? {
        let code = code
        let root = code.nodes[Int(code.root)]
        return root.opcode == .constant ? code.constants[Int(root.a)] : nil
    }

    /// Computes the value.
    ///
    /// The result depends on the arguments alone, but for the rules of named time zones.
    /// It always ends, within the limits.
    ///
    /// - Parameters:
    ///   - values: The values of the environment's variables, in their order. A value that is
    ///     missing at the end is a fault only if it is used.
    ///   - host: The code of the environment's functions.
    /// - Throws: ``CELError`` of the kind `evaluation`, or `limit` if a bound was reached.
    public func evaluate(
        _ values: [CELValue] = [], host: (any CELHost)? = nil, limits: CELLimits = .standard
    ) throws(CELError) -> CELValue {
        var steps = limits.steps
        return try evaluate(values, host: host, limits: limits, stepsLeft: &steps)
    }

    /// Computes the value with the steps that earlier evaluations have left.
    ///
    /// - Parameter stepsLeft: The steps that several evaluations share. It is reduced by those of
    ///   this one, also if that fails; never below 0.
    /// - Throws: ``CELError`` of the kind `evaluation`, or `limit` if a bound was reached.
    public func evaluate(
        _ values: [CELValue], host: (any CELHost)?, limits: CELLimits = .standard,
        stepsLeft: inout Int
    ) throws(CELError) -> CELValue {
        let result = withExtendedLifetime(parts) { parts in
            parts.withCode { code -> Result<CELValue, EvaluationFailure> in
                do throws(EvaluationFailure) {
                    return .success(
                        try code.evaluate(values, host: host, limits: limits, steps: &stepsLeft))
                } catch {
                    return .failure(error)
                }
            }
        }
        do throws(EvaluationFailure) {
            return try result.get()
        } catch {
            throw CELError(
                error.isLimit ? .limit : .evaluation, error.message, in: expression,
                at: Int(error.offset))
        }
    }

    /// Computes the truth value of a condition.
    ///
    /// - Throws: ``CELError`` as `evaluate` does, and if the value isn't a bool.
    public func isTrue(
        _ values: [CELValue] = [], host: (any CELHost)? = nil, limits: CELLimits = .standard
    ) throws(CELError) -> Bool {
        let value = try evaluate(values, host: host, limits: limits)
        guard case .bool(let isTrue) = value else {
            let code = code
            throw CELError(
                .evaluation, "the result must be bool, and is \(value.type.name)",
                in: expression, at: Int(code.nodes[Int(code.root)].offset))
        }
        return isTrue
    }
}
