import Synchronization

/// An expression, compiled or to be compiled when it is needed, which can be evaluated any number
/// of times, from any thread.
public struct CELProgram: Sendable {
    /// What compiling an expression gives.
    private final class Compiled: Sendable {
        let code: Code
        let type: CELType

        init(_ code: Code, _ type: CELType) {
            self.code = code
            self.type = type
        }
    }

    /// Its parts behind one reference: who keeps a program copies it for each evaluation.
    private final class Parts: Sendable {
        let expression: String
        let environment: CELEnvironment
        private let kept = AtomicLazyReference<Compiled>()

        init(_ expression: String, _ environment: CELEnvironment) {
            self.expression = expression
            self.environment = environment
        }

        var isCompiled: Bool { kept.load() != nil }

        /// The code, which is made now if it isn't there. Threads that come at the same time may
        /// each make it, and all get the same one.
        @inline(__always)
        var compiled: Compiled { kept.load() ?? compile() }

        @inline(never)
        private func compile() -> Compiled {
            keep(Compiled(environment.code(of: expression), .dyn))
        }

        /// Keeps the code, unless there is one.
        @discardableResult
        func keep(_ compiled: Compiled) -> Compiled { kept.storeIfNil(compiled) }
    }

    private let parts: Parts

    /// A compiled expression.
    init(code: Code, type: CELType, expression: String, environment: CELEnvironment) {
        parts = Parts(expression, environment)
        parts.keep(Compiled(code, type))
    }

    /// An expression that is compiled when it is needed.
    init(deferring expression: String, in environment: CELEnvironment) {
        parts = Parts(expression, environment)
    }

    var code: Code { parts.compiled.code }
    /// The type of the result; `dyn` if it isn't known before, or types weren't checked.
    public var type: CELType { parts.compiled.type }
    /// The text of the expression.
    public var expression: String { parts.expression }
    /// The environment that it was compiled in.
    public var environment: CELEnvironment { parts.environment }

    /// Whether it is compiled: a deferred one isn't, until it is needed.
    public var isCompiled: Bool { parts.isCompiled }

    /// The parts of its constant regular expressions, compiled or not.
    public var constantRegexParts: Int { code.patternParts }

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
        do throws(EvaluationFailure) {
            return try parts.compiled.code.evaluate(
                values, host: host, limits: limits, steps: &stepsLeft)
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
