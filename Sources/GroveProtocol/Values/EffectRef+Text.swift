import GroveEngine

/// Positions in lists of effects as text: the instance's number, a dot, the effect number. Clients
/// get it as `next` and send it back as `after`.
extension EffectRef {
    var text: String { "\(instance.value).\(number)" }

    init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let instance = Int64(parts[0]), let number = Int64(parts[1])
        else {
            return nil
        }
        self.init(instance: InstanceNumber(instance), number: number)
        // The server never writes signs or leading zeros.
        guard instance >= 0, number >= 0, self.text == text else { return nil }
    }
}
