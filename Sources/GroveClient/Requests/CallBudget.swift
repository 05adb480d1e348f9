import Synchronization

/// Counts what calls without an answer hold, so that a client whose server is away doesn't grow
/// without a bound, and numbers the keys they are given.
final class CallBudget: Sendable {
    private struct State {
        var calls = 0
        var bytes = 0
        var keys = 0
    }

    private let state = Mutex(State())
    private let callsMax: Int
    private let bytesMax: Int
    /// 128 random bits, so that no two clients ever make the same key.
    private let prefix: String

    /// A budget of so many calls and so many bytes of lines.
    init(callsMax: Int, bytesMax: Int) {
        self.callsMax = callsMax
        self.bytesMax = bytesMax
        let numbers = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        prefix = numbers.map { String($0, radix: 36) }.joined() + "."
    }

    /// Takes the place for a call of so many bytes, which one call always gets. Returns why
    /// there is none; `nil` when there is.
    func take(bytes: Int) -> ClientError? {
        state.withLock { state in
            guard state.calls < callsMax else {
                return .queueFull("\(callsMax) calls wait for their answers")
            }
            guard state.calls == 0 || state.bytes + bytes <= bytesMax else {
                return .queueFull("calls of \(bytesMax) bytes wait for their answers")
            }
            state.calls += 1
            state.bytes += bytes
            return nil
        }
    }

    /// A call of so many bytes has its answer.
    func giveBack(bytes: Int) {
        state.withLock { state in
            state.calls -= 1
            state.bytes -= bytes
        }
    }

    /// How many calls have no answer.
    var calls: Int { state.withLock { $0.calls } }

    /// A dedup key that was never used.
    func nextKey() -> String {
        let number = state.withLock { state in
            state.keys += 1
            return state.keys
        }
        return prefix + String(number, radix: 36)
    }
}
