import Transducers

/// The records of a step in their fixed order: created, outputs, state, effects, the end, trace.
/// The index of each is part of its cursor, and doesn't depend on the selection.
struct RecordParts {
    struct Part {
        var kind: Publication.RecordKind
        var index: Int32
    }

    let parts: [Part]

    init(_ record: JournalRecord) {
        var kinds: [Publication.RecordKind] = []
        if record.kind == .created { kinds.append(.lifecycle(.created)) }
        kinds += record.outputs.indices.map(Publication.RecordKind.output)
        if record.state != nil { kinds.append(.state) }
        kinds += record.effects.indices.map(Publication.RecordKind.effect)
        switch record.kind {
        case .created, .step: if record.isDone { kinds.append(.lifecycle(.done)) }
        case .stopped: kinds.append(.lifecycle(.stopped))
        case .deleted: kinds.append(.lifecycle(.deleted))
        case .suspended: kinds.append(.lifecycle(.suspended))
        case .resumed: kinds.append(.lifecycle(.resumed))
        case .setAside: kinds.append(.lifecycle(.setAside))
        case .erased, .effect: break
        }
        if record.kind == .step { kinds.append(.trace) }
        parts = kinds.enumerated().map { Part(kind: $1, index: Int32($0)) }
    }
}

extension Selection {
    /// Whether the selection includes this record of the step.
    func includes(_ part: RecordParts.Part, of record: JournalRecord) -> Bool {
        switch part.kind {
        case .output(let number):
            kinds.contains(.output) && includes(outputType: record.outputs[number].type)
        case .state: kinds.contains(.state)
        case .effect: kinds.contains(.effect)
        case .lifecycle: kinds.contains(.lifecycle)
        case .trace: kinds.contains(.trace)
        }
    }
}

extension Publication {
    /// The estimated bytes of a record on the wire.
    static func weight(
        of part: RecordParts.Part, record: JournalRecord, before: [UInt8]?
    ) -> Int {
        let name = record.name?.text.utf8.count ?? 0
        switch part.kind {
        case .output(let number):
            return 200 + name + record.outputs[number].data.count + (record.dedup?.count ?? 0)
        case .state: return 200 + name + (before?.count ?? 0) + (record.state?.count ?? 0)
        case .effect(let number): return 200 + name + record.effects[number].count
        case .lifecycle: return 200 + name
        case .trace: return 200 + name + record.textBytes + (before?.count ?? 0)
        }
    }
}
