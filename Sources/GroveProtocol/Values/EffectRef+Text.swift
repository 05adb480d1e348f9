import GroveEngine

/// Places in lists of effects as text: the instance's number, a point, the run. Opaque to clients,
/// who get it as `next` and hand it back as `after`.
extension EffectRef {
    /// The place as text.
    var text: String { "\(number.value).\(run)" }

    /// Reads a place; `nil` when the text is none.
    init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), let run = Int64(parts[1]) else {
            return nil
        }
        self.init(number: InstanceNumber(number), run: run)
        // Signs and leading zeros are nothing that was ever handed out.
        guard number >= 0, run >= 0, self.text == text else { return nil }
    }
}
