/// The functions of the language.
enum BuiltIn: Int32, CaseIterable {
    // Any values.
    case size, type, dyn
    // Conversions.
    case toBool, toInt, toUint, toDouble, toString, toBytes, toTimestamp, toDuration
    // Text.
    case contains, startsWith, endsWith, matches
    case charAt, indexOf, lastIndexOf, join, lowerAscii, upperAscii, replace, reverse, split
    case substring, trim, format, quote
    // Times.
    case fullYear, month, date, dayOfMonth, dayOfWeek, dayOfYear
    case hours, minutes, seconds, milliseconds
    // Numbers.
    case greatest, least, ceil, floor, round, trunc, sqrt, abs, sign
    case isNaN, isInf, isFinite
    case bitAnd, bitOr, bitXor, bitNot, bitShiftLeft, bitShiftRight
    // Encoders.
    case base64Encode, base64Decode
    // Optional values.
    case optionalOf, optionalOfNonZeroValue, optionalNone, hasValue, value, or, orValue
    case unwrap, first, last

    /// Whether it takes any number of arguments from one on.
    var isVariadic: Bool { self == .greatest || self == .least }
}
