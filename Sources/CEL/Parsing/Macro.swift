/// The macros, except `has`, which is a selection.
enum Macro: String, CaseIterable, Sendable {
    case all, exists, existsOne, map, filter, transformList, transformMap, transformMapEntry
    case optMap, optFlatMap

    /// The macro that a call expands to; nil if the call is a function's.
    ///
    /// - Parameter arguments: Their number without the target.
    init?(name: String, arguments: Int) {
        let name = name == "exists_one" ? "existsOne" : name
        guard let macro = Macro(rawValue: name), macro.arguments.contains(arguments) else {
            return nil
        }
        self = macro
    }

    private var arguments: ClosedRange<Int> {
        switch self {
        case .all, .exists, .existsOne, .map: 2...3
        case .filter, .optMap, .optFlatMap: 2...2
        case .transformList, .transformMap, .transformMapEntry: 3...4
        }
    }

    /// The number of names before the expressions.
    func names(of arguments: Int) -> Int {
        switch self {
        case .all, .exists, .existsOne: arguments - 1
        case .map, .filter, .optMap, .optFlatMap: 1
        case .transformList, .transformMap, .transformMapEntry: 2
        }
    }

    /// Whether the last expression is a condition, and not what is made of each element.
    var isTest: Bool {
        switch self {
        case .all, .exists, .existsOne, .filter: true
        default: false
        }
    }
}
