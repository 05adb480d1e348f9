import GroveClient
import Testing

/// Options for tests: reconnects at once, has timeouts that a slow machine doesn't reach, and
/// sends every call once and unchanged, unless the test is about retrying.
func options(
    _ server: FakeServer, timeout: Duration = .seconds(10), credit: Int = 256,
    attemptsMax: Int? = nil, retry: RetryPolicy = .never
) -> ClientOptions {
    ClientOptions(
        server: server.address, requestTimeout: timeout,
        reconnect: ReconnectPolicy(
            initialDelay: .milliseconds(1), delayMax: .milliseconds(5), attemptsMax: attemptsMax),
        retry: retry, credit: credit)
}

/// The client error with which a call fails; `nil` when it succeeds. Any other error is an
/// issue of the test.
func failure<Value>(of call: () async throws -> Value) async -> ClientError? {
    do {
        _ = try await call()
        return nil
    } catch let error as ClientError {
        return error
    } catch {
        Issue.record(error)
        return nil
    }
}
