import Glibc
import Grove

/// A machine with errors that end a process: an index out of range in a step, in a codec and in a
/// handler, and an endless recursion.
enum Boom: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable {
        var count = 0
        var waiting: [Int] = []
    }

    /// A value that can be encoded, but not decoded.
    struct Unreadable: Codable, Sendable {
        var numbers: [Int]

        init(from decoder: any Decoder) throws {
            numbers = try [Int](from: decoder)
            numbers[numbers.count] = 0
        }
    }

    enum Event: Codable, Sendable {
        case add
        case pop
        case arm(milliseconds: Int)
        case read(Unreadable)
        case recurse
        case work(Int)
        case worked(Int)
    }

    /// The version that the process hosts. A later one than "1" has no error in its `pop`.
    static let version = getenv("BOOM_VERSION").map { String(cString: $0) } ?? "1"

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .add: state.count += 1
        case .pop:
            if version != "1", state.waiting.isEmpty { state.waiting = [7] }
            state.count += state.waiting.removeLast()
        case .arm(let milliseconds):
            return .after(.milliseconds(milliseconds), id: "pop", .pop)
        case .read(let unreadable): state.count += unreadable.numbers.count
        case .recurse: state.count = depth(of: state.count) + 1
        case .work(let count): return .perform("trap", argument: count, then: "worked")
        case .worked(let number): state.count += number
        }
        return nil
    }

    /// A recursion that overflows the stack long before it ends.
    private static func depth(of count: Int) -> Int {
        count == .max ? 0 : depth(of: count + 1) + depth(of: .max)
    }
}

/// `describe` runs the samples, so the first version ends that process too.
extension Boom: DescribedTransducer {
    static var sampleEvents: [Event] { [.add, .pop] }
}
