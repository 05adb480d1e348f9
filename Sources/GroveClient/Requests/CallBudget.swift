import Synchronization

/// Counts the calls without an answer and their bytes, so that a client whose server is away
/// doesn't grow without a bound. Numbers the dedup keys of calls.
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

    /// A budget of `callsMax` calls whose lines have `bytesMax` bytes in total.
    init(callsMax: Int, bytesMax: Int) {
        self.callsMax = callsMax
        self.bytesMax = bytesMax
        let numbers = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        prefix = numbers.map { String($0, radix: 36) }.joined() + "."
    }

    /// Reserves room for a call of `bytes` bytes; the first call always fits. Returns the error
    /// when there is no room.
    func reserve(bytes: Int) -> ClientError? {
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

    /// Releases the room of a call of `bytes` bytes.
    func release(bytes: Int) {
        state.withLock { state in
            state.calls -= 1
            state.bytes -= bytes
        }
    }

    /// The number of calls without an answer.
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
