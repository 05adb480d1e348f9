/// The order of two values that can be compared.
enum CELOrder {
    case less, same, greater
    /// One is "not a number": neither less, nor equal, nor greater.
    case unordered

    init<T: Comparable>(_ left: T, _ right: T) {
        self = left < right ? .less : left == right ? .same : .greater
    }

    /// The order of numbers that may be "not a number".
    init(doubles left: Double, _ right: Double) {
        if left < right {
            self = .less
        } else if left > right {
            self = .greater
        } else {
            self = left == right ? .same : .unordered
        }
    }
}

extension CELValue {
    /// The order of two values of one ordered type, or of two numbers; nil if they have none.
    ///
    /// An integer beside a double is compared as the nearest double, as cel-spec's tests want it.
    func order(to other: CELValue) -> CELOrder? {
        switch (self, other) {
        case (.int(let left), .int(let right)): CELOrder(left, right)
        case (.uint(let left), .uint(let right)): CELOrder(left, right)
        case (.double(let left), .double(let right)): CELOrder(doubles: left, right)
        case (.int(let left), .double(let right)): CELOrder(doubles: Double(left), right)
        case (.uint(let left), .double(let right)): CELOrder(doubles: Double(left), right)
        case (.double(let left), .int(let right)): CELOrder(doubles: left, Double(right))
        case (.double(let left), .uint(let right)): CELOrder(doubles: left, Double(right))
        case (.int(let left), .uint(let right)): CELOrder(left, right)
        case (.uint(let left), .int(let right)): CELOrder(left, right)
        case (.string(let left), .string(let right)):
            CELOrder(lexicographically: left.utf8, right.utf8)
        case (.bytes(let left), .bytes(let right)): CELOrder(lexicographically: left, right)
        case (.bool(let left), .bool(let right)): CELOrder(left ? 1 : 0, right ? 1 : 0)
        case (.timestamp(let left), .timestamp(let right)): CELOrder(left, right)
        case (.duration(let left), .duration(let right)): CELOrder(left, right)
        default: nil
        }
    }
}

extension CELOrder {
    fileprivate init(_ left: Int64, _ right: UInt64) {
        self = left < right ? .less : left > right ? .greater : .same
    }

    fileprivate init(_ left: UInt64, _ right: Int64) {
        self = left < right ? .less : left > right ? .greater : .same
    }

    /// The order of bytes, which for UTF-8 is that of the code points.
    fileprivate init<T: Collection<UInt8>>(lexicographically left: T, _ right: T) {
        if left.elementsEqual(right) {
            self = .same
        } else {
            self = left.lexicographicallyPrecedes(right) ? .less : .greater
        }
    }
}
