/// A field of a head: its name in lower case, and its value without the white space around it.
public struct HTTPField: Sendable, Equatable {
    /// The name in lower case.
    public let name: [UInt8]
    /// The value.
    public let value: [UInt8]

    /// Whether it has this name, given in lower case.
    func isNamed(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { name.elementsEqual($0) }
    }
}
