public import OrderedJSON

/// A test of an expression as JSON, in the form of cel-spec's own tests that this project uses.
///
/// `expr` is the expression. `type_env` declares variables with their types, `bindings` gives
/// values; a variable without a declaration is `dyn`. `container` is where names are looked up
/// first. `disable_check` skips the type check. `expect` is the value that must result, or `error`
/// is `true`: then the evaluation must fail. A type is a name, `{"list":T}` or `{"map":[K,V]}`; a
/// value is an object whose only member names its type: `{"int":"-1"}`, `{"list":[…]}`. Arithmetic
/// isn't mixed.
public struct CELCase: Sendable {
    private let json: JSONValue

    /// A test.
    public init(_ json: JSONValue) { self.json = json }

    /// Section and name, unique within a file; `?` for a test without names.
    public var name: String {
        let parts = [json["section"]?.string, json["name"]?.string].compactMap { $0 }
        return parts.isEmpty ? "?" : parts.joined(separator: "/")
    }

    /// Runs the test.
    ///
    /// - Returns: What is wrong; nil if the test passes. May have several lines.
    public func problem() -> String? {
        guard let text = json["expr"]?.string else { return "there is no 'expr'" }
        do throws(CELCaseFault) {
            let (environment, values) = try surroundings()
            let wanted = try json["expect"].map { json throws(CELCaseFault) in
                try CELValue(caseValue: json)
            }
            let program: CELProgram
            do {
                program = try environment.compile(
                    text, checksTypes: json["disable_check"]?.bool != true)
            } catch {
                return "\(error)"
            }
            do {
                let value = try program.evaluate(values)
                guard let wanted else { return "no error, but \(value)" }
                return value.isIdentical(to: wanted) ? nil : "\(value) instead of \(wanted)"
            } catch {
                return json["error"]?.bool == true ? nil : "\(error)"
            }
        } catch {
            return error.message
        }
    }

    /// The variables and their values. Those without values are last.
    private func surroundings() throws(CELCaseFault) -> (CELEnvironment, [CELValue]) {
        var variables: [CELEnvironment.Variable] = []
        var values: [CELValue] = []
        let bindings = json["bindings"]?.object ?? JSONObject()
        let declared = json["type_env"]?.object ?? JSONObject()
        for binding in bindings {
            let type = try declared[binding.name].map { json throws(CELCaseFault) in
                try CELType(caseType: json)
            }
            variables.append(CELEnvironment.Variable(binding.name, type ?? .dyn))
            values.append(try CELValue(caseValue: binding.value))
        }
        for member in declared where bindings[member.name] == nil {
            variables.append(
                CELEnvironment.Variable(member.name, try CELType(caseType: member.value)))
        }
        let container = json["container"]?.string ?? ""
        return (CELEnvironment(variables: variables, container: container), values)
    }
}
