/// Texts in lines. A loop, because the comparison of sequences costs ten times as much, for each
/// record of each stream.
extension UnsafeRawBufferPointer {
    /// Whether a text stands at an index.
    func begins(with text: StaticString, at start: Int = 0) -> Bool {
        let length = text.utf8CodeUnitCount
        guard start <= count - length else { return false }
        let bytes = text.utf8Start
        for offset in 0..<length where self[start + offset] != bytes[offset] { return false }
        return true
    }

    /// The bytes after a text that they begin with.
    func after(_ text: StaticString) -> UnsafeRawBufferPointer? {
        guard begins(with: text) else { return nil }
        return UnsafeRawBufferPointer(rebasing: self[text.utf8CodeUnitCount...])
    }
}
