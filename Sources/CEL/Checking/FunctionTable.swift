/// The names and signatures of all functions and operators.
enum FunctionTable {
    /// A function of a name with its signatures.
    struct Entry {
        let function: BuiltIn
        let overloads: [Overload]
    }

    /// Functions that are called as `f(x)`, with their qualified names.
    static let globals: [String: [Entry]] = table(general + times.globals + extensions.globals)
    /// Functions that are called as `x.f()`; the target is the first parameter.
    static let members: [String: [Entry]] = table(text + times.members + extensions.members)

    /// The signatures by function.
    static let globalOverloads = byFunction(globals)
    static let memberOverloads = byFunction(members)

    private static func byFunction(_ table: [String: [Entry]]) -> [BuiltIn: [Overload]] {
        Dictionary(
            table.values.joined().map { ($0.function, $0.overloads) }, uniquingKeysWith: +)
    }

    /// The function with this number of arguments.
    static func find(_ entries: [Entry], arguments: Int) -> BuiltIn? {
        entries.first { entry in
            entry.function.isVariadic && arguments >= 1
                || entry.overloads.contains { $0.parameters.count == arguments }
        }?.function
    }

    typealias Row = (name: String, function: BuiltIn, overloads: [Overload])

    private static func table(_ rows: [Row]) -> [String: [Entry]] {
        Dictionary(grouping: rows, by: \.name).mapValues { rows in
            rows.map { Entry(function: $0.function, overloads: $0.overloads) }
        }
    }

    static func row(
        _ name: String, _ function: BuiltIn, _ overloads: ([CELType], CELType)...
    ) -> Row {
        (name, function, overloads.map { Overload($0.0, $0.1) })
    }

    static let a = CELType.variable(0)
    static let b = CELType.variable(1)

    private static let general: [Row] = [
        row(
            "size", .size, ([.string], .int), ([.bytes], .int), ([.list(a)], .int),
            ([.map(a, b)], .int)),
        row("type", .type, ([a], .type)),
        row("dyn", .dyn, ([a], .dyn)),
        row("bool", .toBool, ([.bool], .bool), ([.string], .bool)),
        row(
            "int", .toInt, ([.int], .int), ([.uint], .int), ([.double], .int), ([.string], .int),
            ([.timestamp], .int), ([.duration], .int)),
        row(
            "uint", .toUint, ([.uint], .uint), ([.int], .uint), ([.double], .uint),
            ([.string], .uint)),
        row(
            "double", .toDouble, ([.double], .double), ([.int], .double), ([.uint], .double),
            ([.string], .double)),
        row(
            "string", .toString, ([.string], .string), ([.bool], .string), ([.int], .string),
            ([.uint], .string), ([.double], .string), ([.bytes], .string),
            ([.timestamp], .string), ([.duration], .string)),
        row("bytes", .toBytes, ([.bytes], .bytes), ([.string], .bytes)),
        row("matches", .matches, ([.string, .string], .bool)),
    ]

    private static let text: [Row] = [
        row(
            "size", .size, ([.string], .int), ([.bytes], .int), ([.list(a)], .int),
            ([.map(a, b)], .int)),
        row("contains", .contains, ([.string, .string], .bool)),
        row("startsWith", .startsWith, ([.string, .string], .bool)),
        row("endsWith", .endsWith, ([.string, .string], .bool)),
        row("matches", .matches, ([.string, .string], .bool)),
        row("charAt", .charAt, ([.string, .int], .string)),
        row("indexOf", .indexOf, ([.string, .string], .int), ([.string, .string, .int], .int)),
        row(
            "lastIndexOf", .lastIndexOf, ([.string, .string], .int),
            ([.string, .string, .int], .int)),
        row("join", .join, ([.list(.string)], .string), ([.list(.string), .string], .string)),
        row("lowerAscii", .lowerAscii, ([.string], .string)),
        row("upperAscii", .upperAscii, ([.string], .string)),
        row(
            "replace", .replace, ([.string, .string, .string], .string),
            ([.string, .string, .string, .int], .string)),
        row("reverse", .reverse, ([.string], .string)),
        row(
            "split", .split, ([.string, .string], .list(.string)),
            ([.string, .string, .int], .list(.string))),
        row(
            "substring", .substring, ([.string, .int], .string),
            ([.string, .int, .int], .string)),
        row("trim", .trim, ([.string], .string)),
        row("format", .format, ([.string, .list(.dyn)], .string)),
    ]
}
