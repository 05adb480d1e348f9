import Foundation
import GroveNetwork
import OrderedJSON
import Synchronization
import Transducers

@testable import GroveEffects

/// The result of a request, as one line of text or as a value.
enum CallResult: Sendable {
    case answer(JSONValue)
    case failed(String)
    case failedForGood(String)
    case cancelled

    var answer: JSONValue? {
        if case .answer(let value) = self { value } else { nil }
    }

    /// The reason of a failure, marked if it is permanent.
    var failure: String {
        switch self {
        case .answer(let value): "no failure: \(value)"
        case .failed(let reason): reason
        case .failedForGood(let reason): "for good: \(reason)"
        case .cancelled: "cancelled"
        }
    }
}

extension HTTPOptions {
    /// Returns the options for requests to the tests' servers.
    static func toward(_ hosts: String...) -> HTTPOptions {
        var options = HTTPOptions()
        options.allowedHosts = hosts.compactMap {
            HostPattern($0, allowsPrivateAddresses: true)
        }
        options.allowPlaintext = true
        return options
    }
}

extension HTTPHandler {
    /// Returns a handler that keeps unused connections open during a test, even on a busy computer.
    static func keepingConnections(options: HTTPOptions) -> EffectHandler {
        make(options: options, resolve: NameLookups.systemAddresses, idleTime: .seconds(3_600))
    }
}

extension EffectHandler {
    /// Makes a request with the handler.
    func call(
        _ request: HTTPRequest, key: String = "key-1", attempt: Int = 1, instance: String? = nil
    ) async -> CallResult {
        await call(request.json, key: key, attempt: attempt, instance: instance)
    }

    func call(
        _ argument: JSONValue, key: String = "key-1", attempt: Int = 1, instance: String? = nil
    ) async -> CallResult {
        let context = EffectHandlerContext(
            key: key, attempt: attempt, instance: instance, delivered: 0, run: 1,
            send: { _ in })
        do {
            return .answer(try await body(argument, context))
        } catch let error as PermanentFailure {
            return .failedForGood(error.reason)
        } catch is CancellationError {
            return .cancelled
        } catch {
            return .failed(String(describing: error))
        }
    }

    /// Requests a URL with the handler.
    func get(_ url: String) async -> CallResult { await call(HTTPRequest(url: url)) }
}

extension HTTPRequest {
    var json: JSONValue {
        var object: JSONObject = ["method": .string(method), "url": .string(url)]
        if !headers.isEmpty {
            var members = JSONObject()
            for header in headers { members[header.key] = header.value.json }
            object["headers"] = .object(members)
        }
        object["body"] = body
        object["timeout_ms"] = timeoutMilliseconds.map { .integer($0) }
        if !acceptStatus.isEmpty {
            object["accept_status"] = .array(acceptStatus.map { .integer(Int64($0)) })
        }
        return .object(object)
    }
}

extension HTTPHeaderValue {
    var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .secret(let name, let prefix): ["secret": .string(name), "prefix": .string(prefix)]
        }
    }
}

/// A resolver that returns the answers of its list in turn, then the last one every time.
final class ListResolver: Sendable {
    private let answers: [[IPAddress]]
    private let asked = Mutex<[String]>([])

    init(_ answers: [[String]]) {
        self.answers = answers.map { $0.compactMap { IPAddress($0) } }
    }

    /// The names that were looked up.
    var names: [String] { asked.withLock { $0 } }

    var resolve: NameResolver {
        { [self] host in
            let count = asked.withLock { names in
                names.append(host)
                return names.count
            }
            return answers[min(count, answers.count) - 1]
        }
    }
}

/// Creates a file, runs `body`, and removes the file.
func withFile<Result>(
    _ text: String, isolation: isolated (any Actor)? = #isolation,
    _ body: (String) async throws -> Result
) async throws -> Result {
    let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("grove-\(UUID().uuidString).pem")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await body(file.path)
}
