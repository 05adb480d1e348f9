import GroveTestSupport
import Transducers

/// Immediate events: `chain(n)` causes `chain(n - 1)`; `tree` causes two events of which the first
/// causes a third; `endless` never ends; `double(n, m)` loops in a loop.
enum Chain: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var seen: [String] = [] }
    enum Event: Codable, Sendable {
        case chain(Int), endless, tree, a, aa, b, c, fail, failLate
        case double(rows: Int, columns: Int)
        case cell(row: Int, column: Int, columns: Int)
    }
    typealias Output = String

    static let initialState = State()

    static func update(_ state: inout State, event: Event) throws -> (Self.Effect?, Output) {
        let name = "\(event)"
        state.seen.append(name)
        switch event {
        case .chain(let left): return (left > 1 ? .event(.chain(left - 1)) : nil, "\(left)")
        case .endless: return (.event(.endless), "again")
        case .tree: return (.events([.a, .b, .c]), "tree")
        case .a: return (.sequence(.event(.aa)), "a")
        case .aa, .b, .c: return (nil, name)
        case .fail: throw Rejection("not now", accepts: ["tree"])
        case .failLate: return (.events([.a, .fail]), "late")
        case .double(let rows, let columns):
            let first = (0..<rows).map { Event.cell(row: $0, column: 0, columns: columns) }
            return (.events(first), "double")
        case .cell(let row, let column, let columns):
            let next = Event.cell(row: row, column: column + 1, columns: columns)
            return (column + 1 < columns ? .event(next) : nil, "\(row)\(column)")
        }
    }
}

/// Has no outputs and changes only by some events; its states can be made large.
enum Quiet: Transducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var text = "" }
    enum Event: Codable, Sendable { case nothing, set(String), grow(Int), crash }
    struct Crash: Error {}
    static let initialState = State()
    static func update(_ state: inout State, event: Event) throws {
        switch event {
        case .nothing: break
        case .set(let text): state.text = text
        case .grow(let bytes): state.text = String(repeating: "x", count: bytes)
        case .crash:
            state.text = "half done"
            throw Crash()
        }
    }
}

let testDefinitions = [
    Definition(Chain.self, named: "chain", version: "1"),
    Definition(Countdown.self, named: "countdown", version: "1"),
    Definition(Quiet.self, named: "quiet", version: "1"),
    Definition(Finished.self, named: "finished", version: "1"),
]
