/// A field of a head: its name in lower case, and its value without the white space around it.
public struct HTTPField: Sendable, Equatable {
    /// The name in lower case.
    public let name: ArraySlice<UInt8>
    /// The value: any bytes but control characters, of which only a tab is there.
    public let value: ArraySlice<UInt8>

    /// Whether its value is a list that has a word, which is in lower case, in any case.
    func lists(_ word: StaticString) -> Bool {
        value.split(separator: UInt8(ascii: ",")).contains { part in
            var part = part.drop(while: HTTPBytes.isBlank)
            while let last = part.last, HTTPBytes.isBlank(last) { part.removeLast() }
            return HTTPBytes.isWord(part, word)
        }
    }
}
