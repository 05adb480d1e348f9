extension FunctionTable {
    /// Functions of the extension libraries, and of optional values.
    static let extensions: (globals: [Row], members: [Row]) = (
        globals: mathematics + [
            row("strings.quote", .quote, ([.string], .string)),
            row("base64.encode", .base64Encode, ([.bytes], .string)),
            row("base64.decode", .base64Decode, ([.string], .bytes)),
            row("optional.of", .optionalOf, ([a], .optional(a))),
            row("optional.ofNonZeroValue", .optionalOfNonZeroValue, ([a], .optional(a))),
            row("optional.none", .optionalNone, ([], .optional(a))),
            row("optional.unwrap", .unwrap, ([.list(.optional(a))], .list(a))),
        ],
        members: [
            row("hasValue", .hasValue, ([.optional(a)], .bool)),
            row("value", .value, ([.optional(a)], a)),
            row("or", .or, ([.optional(a), .optional(a)], .optional(a))),
            row("orValue", .orValue, ([.optional(a), a], a)),
            row("unwrapOpt", .unwrap, ([.list(.optional(a))], .list(a))),
            row("first", .first, ([.list(a)], .optional(a))),
            row("last", .last, ([.list(a)], .optional(a))),
        ]
    )

    private static let mathematics: [Row] = [
        // Of any number of arguments: the checker knows their types.
        row("math.greatest", .greatest), row("math.least", .least),
        row("math.ceil", .ceil, ([.double], .double)),
        row("math.floor", .floor, ([.double], .double)),
        row("math.round", .round, ([.double], .double)),
        row("math.trunc", .trunc, ([.double], .double)),
        row("math.sqrt", .sqrt, ([.double], .double), ([.int], .double), ([.uint], .double)),
        row("math.abs", .abs, ([.int], .int), ([.uint], .uint), ([.double], .double)),
        row("math.sign", .sign, ([.int], .int), ([.uint], .uint), ([.double], .double)),
        row("math.isNaN", .isNaN, ([.double], .bool)),
        row("math.isInf", .isInf, ([.double], .bool)),
        row("math.isFinite", .isFinite, ([.double], .bool)),
        row("math.bitAnd", .bitAnd, ([.int, .int], .int), ([.uint, .uint], .uint)),
        row("math.bitOr", .bitOr, ([.int, .int], .int), ([.uint, .uint], .uint)),
        row("math.bitXor", .bitXor, ([.int, .int], .int), ([.uint, .uint], .uint)),
        row("math.bitNot", .bitNot, ([.int], .int), ([.uint], .uint)),
        row(
            "math.bitShiftLeft", .bitShiftLeft, ([.int, .int], .int), ([.uint, .int], .uint)),
        row(
            "math.bitShiftRight", .bitShiftRight, ([.int, .int], .int),
            ([.uint, .int], .uint)),
    ]
}
