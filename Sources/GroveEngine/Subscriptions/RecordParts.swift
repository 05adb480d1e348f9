import Transducers

/// The records of a step in their fixed order: created, outputs, state, effects, the end, trace.
/// The index of each is part of its cursor, and doesn't depend on the selection.
struct RecordParts: RandomAccessCollection {
    struct Part {
        var kind: Publication.RecordKind
        var index: Int32
    }

    /// Where each kind begins.
    private let outputs, state, effects, end, trace: Int
    private let lifecycle: Publication.Lifecycle?
    let endIndex: Int
    var startIndex: Int { 0 }

    init(_ record: borrowing JournalRecord) {
        outputs = record.kind == .created ? 1 : 0
        state = outputs + record.outputs.count
        effects = state + (record.state == nil ? 0 : 1)
        end = effects + record.effects.count
        lifecycle = Self.end(of: record)
        trace = end + (lifecycle == nil ? 0 : 1)
        endIndex = trace + (record.kind == .step ? 1 : 0)
    }

    private static func end(of record: borrowing JournalRecord) -> Publication.Lifecycle? {
        switch record.kind {
        case .created, .step: record.isDone ? .done : nil
        case .stopped: .stopped
        case .deleted: .deleted
        case .suspended: .suspended
        case .resumed: .resumed
        case .setAside: .setAside
        case .erased, .effect: nil
        }
    }

    subscript(index: Int) -> Part {
        Part(kind: kind(index), index: Int32(index))
    }

    private func kind(_ index: Int) -> Publication.RecordKind {
        if index < outputs { return .lifecycle(.created) }
        if index < state { return .output(index - outputs) }
        if index < effects { return .state }
        if index < end { return .effect(index - effects) }
        if index < trace, let lifecycle { return .lifecycle(lifecycle) }
        return .trace
    }
}

extension Selection {
    /// Whether the selection includes this record of the step.
    func includes(_ part: RecordParts.Part, of record: borrowing JournalRecord) -> Bool {
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
        of part: RecordParts.Part, record: borrowing JournalRecord, before: [UInt8]?
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
