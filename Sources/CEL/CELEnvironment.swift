/// What expressions can refer to: variables, functions of the host, and a few switches.
public struct CELEnvironment: Sendable {
    /// A variable that expressions can use.
    public struct Variable: Hashable, Sendable {
        /// The name, which may have points.
        public let name: String
        /// The type that its values have.
        public let type: CELType

        /// A variable.
        public init(_ name: String, _ type: CELType) {
            self.name = name
            self.type = type
        }
    }

    /// The variables. Evaluation takes their values in this order.
    public let variables: [Variable]
    /// The functions of the host. Evaluation names one by its index.
    public let functions: [CELFunction]
    /// Where names are looked up first: in `a.b`, the name `x` is `a.b.x`, `a.x` or `x`.
    public let container: String
    /// Whether arithmetic converts numbers: `1.5 + 1`. A double and an integer give a double, an
    /// `int` and a `uint` give an `int`. This is an extension of the language.
    public let allowsMixedArithmetic: Bool
    /// Whether the error for an unknown name has a similar one. Looking for it compares the name
    /// with all known ones: a caller with many names and many expressions stops after some.
    public var suggestsNames = true
    /// Parts of all constant regular expressions of one expression, some 60 bytes each; those after
    /// them are compiled at each evaluation. A caller that keeps many programs gives each less.
    public var constantRegexPartsMax = CELLimits.constantRegexPartsMax
    /// Steps that may compute the constant parts of one expression when it is compiled; what is
    /// left then is computed at each evaluation. A caller with many expressions gives each less.
    public var constantStepsMax = CELLimits.constantStepsMax

    /// The variables' positions by name; of two with one name, the first counts.
    let slots: [String: Int]

    /// An environment.
    public init(
        variables: [Variable] = [], functions: [CELFunction] = [], container: String = "",
        allowsMixedArithmetic: Bool = false
    ) {
        self.variables = variables
        self.functions = functions
        self.container = container
        self.allowsMixedArithmetic = allowsMixedArithmetic
        slots = Dictionary(
            variables.enumerated().map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Reads, checks and compiles an expression.
    ///
    /// - Parameters:
    ///   - expected: The type that the result must have, such as `bool` for a condition.
    ///   - checksTypes: Whether types are checked. Without, an unknown name or a wrong type is a
    ///     fault of the evaluation, and only if it is reached.
    /// - Throws: ``CELErrors`` with the first fault of syntax, or with every type error, at most
    ///   20.
    public func compile(
        _ expression: String, expecting expected: CELType = .dyn, checksTypes: Bool = true
    ) throws(CELErrors) -> CELProgram {
        let root = try parsed(expression)
        let type = checksTypes ? try checked(root, expression, expecting: expected) : .dyn
        return CELProgram(
            code: Compiler.compile(root, self), type: type, expression: expression,
            environment: self)
    }

    /// An expression that was compiled before, such as by an earlier process: it is compiled again
    /// when it is first evaluated, without checking types. One that has a fault of syntax after all
    /// fails when it is evaluated, with its message.
    public func deferred(_ expression: String) -> CELProgram {
        CELProgram(deferring: expression, in: self)
    }

    /// Whether a word outside of texts is the name of a variable: then the expression isn't
    /// constant. Reads only up to that word, and is false for what can't be read so far.
    public func namesVariable(in expression: String) -> Bool {
        var lexer = Lexer(expression)
        var before = Token.Kind.end
        var last = Token.Kind.end
        // What can't be read is a fault for those who compile it.
        while let token = try? lexer.next(), token.kind != .end {
            if case .identifier(let name) = token.kind, slots[name] != nil {
                // After a point, also in `.?`, it is the name of a member or a function.
                let point = Token.Kind.mark(".")
                let isMember = last == point || last == .mark("?") && before == point
                if !isMember { return true }
            }
            (before, last) = (last, token.kind)
        }
        return false
    }

    /// The code of an expression whose types aren't checked; of one with a fault of syntax, code
    /// that fails.
    func code(of expression: String) -> Code {
        do throws(CELErrors) {
            return Compiler.compile(try parsed(expression), self)
        } catch {
            return Compiler.failing(error.first, self)
        }
    }

    /// Reads and checks an expression without compiling it.
    ///
    /// - Parameter expected: The type that the result must have, such as `bool` for a condition.
    /// - Returns: The type of the result; `dyn` if it isn't known before.
    /// - Throws: ``CELErrors`` as `compile` does.
    @discardableResult
    public func check(
        _ expression: String, expecting expected: CELType = .dyn
    ) throws(CELErrors) -> CELType {
        try checked(parsed(expression), expression, expecting: expected)
    }

    private func parsed(_ expression: String) throws(CELErrors) -> Expression {
        do throws(SyntaxFault) {
            return try Parser.parse(expression)
        } catch {
            throw CELErrors([
                CELError(
                    error.isLimit ? .limit : .syntax, error.message, in: expression,
                    at: error.offset)
            ])
        }
    }

    private func checked(
        _ root: Expression, _ expression: String, expecting expected: CELType
    ) throws(CELErrors) -> CELType {
        var checker = TypeChecker(self)
        let type = checker.check(root, expecting: expected)
        let errors = checker.errors.map {
            CELError(.type, $0.message, in: expression, at: $0.offset)
        }
        if !errors.isEmpty { throw CELErrors(errors) }
        return type
    }

    /// The names that a name may stand for, innermost first; a leading point is only the name.
    func candidates(_ name: String) -> [String] {
        if name.hasPrefix(".") { return [String(name.dropFirst())] }
        guard !container.isEmpty else { return [name] }
        var parts = container.split(separator: ".")
        var result: [String] = []
        while !parts.isEmpty {
            result.append(parts.joined(separator: ".") + "." + name)
            parts.removeLast()
        }
        return result + [name]
    }
}
