import ArgumentParser
import CEL
import OrderedJSON

struct Eval: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Evaluate an expression of the language of statecharts, CEL.",
        discussion: """
            Prints the value and its type. --with gives variables, as the members of an object. \
            Integers of JSON are int, other numbers double; as in statecharts, arithmetic may mix \
            them. No server is needed.

              grove eval 'context.paid + event.amount >= context.total' \\
                --with '{"context":{"paid":5,"total":30},"event":{"amount":25}}'
              grove eval -- '-1 + 2'
              grove eval --cases tests.json

            --cases runs tests from files, each an object or a list of them: expr, bindings, and \
            expect or error. It prints a line for each that fails, then the number of those that \
            pass and of all. There, arithmetic isn't mixed.

            Exit codes: 0 evaluated, or all tests pass, 1 the evaluation failed, or a test, 65 the \
            expression or a file is wrong, 66 there is no such file.
            """)

    @Argument(help: "An expression; with --cases, files of tests.", completion: .file())
    var arguments: [String] = []
    @Option(help: ArgumentHelp("Variables by name, as a JSON object.", valueName: "json"))
    var with: String?
    @Flag(help: "Run the tests in files.") var cases = false
    @OptionGroup var format: FormatFlags

    func validate() throws {
        if cases {
            guard !arguments.isEmpty else { throw ValidationError("Name a file of tests.") }
            guard with == nil else { throw ValidationError("Tests have their own variables.") }
        } else {
            guard arguments.count == 1 else {
                throw ValidationError(
                    arguments.isEmpty
                        ? "An expression is missing."
                        : "There are \(arguments.count) arguments: quote the expression.")
            }
        }
    }

    func run() async throws {
        if cases {
            return try CaseFiles.run(arguments, format) { json in
                let test = CELCase(json)
                return (test.name, test.problem())
            }
        }
        let variables = try variables()
        let environment = CELEnvironment(
            variables: variables.map { CELEnvironment.Variable($0.name, .dyn) },
            allowsMixedArithmetic: true)
        let program: CELProgram
        do throws(CELErrors) {
            program = try environment.compile(arguments[0])
        } catch {
            throw failed("\(error)", .dataError)
        }
        let value: CELValue
        do {
            value = try program.evaluate(variables.map { CELValue($0.value) })
        } catch {
            throw failed("\(error)", .refused, name: "EVAL_ERROR")
        }
        try show(value, program.type == .dyn ? value.type : program.type)
    }

    private func variables() throws -> [JSONObject.Member] {
        guard let with else { return [] }
        do throws(JSONError) {
            let json = try JSONValue(parsing: Array(with.utf8))
            if let object = json.object { return object.members }
        } catch {
            throw failed("error: --with: \(error)", .dataError)
        }
        throw failed("error: --with: the variables are the members of an object", .dataError)
    }

    private func show(_ value: CELValue, _ type: CELType) throws {
        guard format.json else {
            let name = format.style.paint(type.description, .faint)
            return try Output.line(format.style.safe(value.description) + "  " + name)
        }
        // JSON has neither infinity nor "not a number": these are the value's text.
        let object: JSONObject = [
            "value": value.json ?? .string(value.description),
            "type": .string(type.description),
        ]
        try Output.line(JSONValue.object(object).serialized())
    }

    /// Prints the lines of a fault, and returns the code to throw.
    private func failed(_ fault: String, _ code: ExitCode, name: String? = nil) -> ExitCode {
        let lines = fault.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines { Output.note(format.noteStyle.safe(String(line))) }
        // The others show the place in the expression.
        let first = String(lines.first ?? "")
        let word = "error: "
        format.showFailure(
            code, first.hasPrefix(word) ? String(first.dropFirst(word.count)) : first, name: name)
        return code
    }
}
