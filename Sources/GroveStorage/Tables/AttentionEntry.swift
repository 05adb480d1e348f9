import GroveEngine

/// A row of `attention`: an effect that has failed or asks, beside its row of `effects`.
struct AttentionEntry: Equatable, Comparable {
    var machine: String
    var attention: EffectAttention
    var ref: EffectRef

    init(machine: String, attention: EffectAttention, ref: EffectRef) {
        self.machine = machine
        self.attention = attention
        self.ref = ref
    }

    /// The entry of an effect; `nil` if it needs no attention.
    init?(_ effect: StoredEffect) {
        guard let attention = effect.attention else { return nil }
        self.init(machine: effect.machine, attention: attention, ref: effect.ref)
    }

    /// Orders by the bytes of the machine's name, then by attention, then by ref.
    static func < (left: AttentionEntry, right: AttentionEntry) -> Bool {
        guard left.machine.utf8.elementsEqual(right.machine.utf8) else {
            return left.machine.utf8.lexicographicallyPrecedes(right.machine.utf8)
        }
        return (left.attention.rawValue, left.ref) < (right.attention.rawValue, right.ref)
    }

    /// The checksum of its row.
    var checksum: UInt32 {
        var checksum = Checksum()
        checksum.add(ref.instance.value, ref.number)
        checksum.add(attention.rawValue)
        var machine = machine
        machine.withUTF8 { checksum.add(UnsafeRawBufferPointer($0)) }
        return checksum.value
    }
}
