import GroveAccess
import GroveTestSupport
import GroveWire
import OrderedJSON
import Testing

@testable import GroveEngine
@testable import GroveHTTP
@testable import GroveProtocol

/// The description of a body says what the decoder of requests accepts: bodies of conversations are
/// changed in one place, and both are asked.
@Suite("bodies by description and decoder")
struct HTTPBodyTests {
    @Test func `what the decoder accepts is described, and what is described it accepts`() throws {
        let description = try HTTPDescription()
        var decoder = try Self.decoder()
        var asked = 0
        for (route, body) in try Self.accepted() {
            for change in Self.changes(of: body) {
                let place = HTTPDescription.body(of: route)
                let problem = description.lenient.outcome(of: change.body, at: place).problem
                let refusal = Self.refusal(of: change.body, to: route, by: &decoder)
                asked += 1
                if refusal == nil, let problem, Self.later.isDisjoint(with: change.path) {
                    Issue.record("\(route.name) accepts \(change.body), but \(problem)")
                } else if let refusal, problem == nil, Self.finer.isDisjoint(with: change.path) {
                    Issue.record("\(route.name) refuses \(change.body): \(refusal)")
                }
            }
        }
        #expect(asked > 1_000)
    }

    @Test func `a body that must be there has members that it must have`() throws {
        var decoder = try Self.decoder()
        for route in HTTPRoute.all {
            guard route.body == .members || route.body == .requiredMembers else { continue }
            let refusal = Self.refusal(
                of: .object(JSONObject()), to: route, by: &decoder)
            // Without an action it is a list, and without an effect the instance that is set aside.
            let isOptional = route.body == .members || route.action == .op(.accounts)
            #expect((refusal == nil) == isOptional, "\(route.name)")
        }
    }

    @Test func `the bounds are those of the engine`() {
        #expect(ProtocolLimits.machineNameBytesMax == Limits.machineNameBytesMax)
        #expect(ProtocolLimits.instanceNameBytesMax == Limits.instanceNameBytesMax)
        #expect(HTTPLimits.keyBytesMax == Limits.dedupKeyBytesMax)
        #expect(ProtocolLimits.reasonBytesMax == Limits.stopReasonBytesMax)
        #expect(ProtocolLimits.batchItemsMax == Limits.batchItemsMax)
        #expect(ProtocolLimits.pageItemsMax == Limits.pageItemsMax)
        #expect(ProtocolLimits.waitMillisecondsMax == Int(Limits.waitMillisecondsMax))
        #expect(ProtocolLimits.importedVersionMax == Limits.importedVersionMax)
        #expect(ProtocolLimits.principalNameBytesMax == PrincipalName.bytesMax)
        #expect(ProtocolLimits.identityBytesMax == Identity.bytesMax)
        #expect(ProtocolLimits.grantBytesMax == Grant.textBytesMax)
        #expect(ProtocolLimits.partsMax == Account.grantsMax)
        #expect(ProtocolLimits.partsMax == Account.identitiesMax)
        #expect(ProtocolLimits.tokensMax == Account.tokensMax)
        #expect(ProtocolLimits.tokenLabelBytesMax == TokenNote.labelBytesMax)
        #expect(ProtocolLimits.quotaMax == Quota.valueMax)
        #expect(ProtocolLimits.overlapMillisecondsMax == TokenEnd.overlapMax)
    }

    @Test func `the words are those of the engine`() {
        #expect(ProtocolWords.holds == Hold.Kind.words)
        #expect(ProtocolWords.quotas == Quota.allCases.map(\.rawValue))
        #expect(ProtocolWords.effectChanges == EffectRecord.Change.allCases.map(\.rawValue))
        #expect(ProtocolWords.lifecycles == Publication.Lifecycle.allCases.map(\.rawValue))
        #expect(ProtocolWords.effectEnds == Reply.EffectOutcome.End.allCases.map(\.rawValue))
    }

    @Test func `the words of parameters are those of the decoder`() throws {
        var decoder = try Self.decoder()
        for route in HTTPRoute.all {
            guard case .op(let op) = route.action else { continue }
            for parameter in route.parameters {
                guard case .word(let words) = parameter.form else { continue }
                for word in words + ["other"] {
                    let line =
                        #"{"op":"\#(op.rawValue)","to":"counter/a","name":"counter","event":"x","#
                        + #""\#(parameter.member)":"\#(word)"}"#
                    let body = Array(line.utf8).withUnsafeBytes { decoder.decode($0) }.body
                    var isRefused = false
                    if case .refusal = body { isRefused = true }
                    #expect(isRefused == (word == "other"), "\(route.name) \(word)")
                }
            }
        }
    }

    /// Members with texts of a form that only the decoder knows.
    private static let finer: Set = ["identities", "grants"]
    /// Members whose values are checked after the decoder.
    private static let later: Set = ["input", "states", "overlap_ms"]

    /// The bodies of conversations that were accepted.
    private static func accepted() throws -> [(HTTPRoute, JSONValue)] {
        var bodies: [(HTTPRoute, JSONValue)] = []
        for name in HTTPGoldenTests.names {
            let player = HTTPPlayer(text: try HTTPGoldenTests.text(of: name))
            try player.play()
            for exchange in player.exchanges where exchange.status < 300 {
                guard let route = exchange.request.flatMap(HTTPDescription.route),
                    let body = exchange.body, route.body != .none
                else { continue }
                bodies.append((route, try JSONValue(parsing: Array(body.utf8))))
            }
        }
        return bodies
    }

    // MARK: Changes

    private struct Change {
        var body: JSONValue
        /// The names of the members around the change.
        var path: [String] = []
    }

    private static let others: [JSONValue] = [
        .null, .bool(true), .bool(false), .integer(0), .integer(1), .integer(-1),
        .integer(1 << 53 - 1), .double(1.5), .string(""), .string("x"), .string("list"),
        .string(String(repeating: "x", count: 1_100)), .array([]), .array([.null]),
        .array([.string("x")]), .object(JSONObject()),
    ]

    /// The value with one part replaced or left out.
    private static func changes(of value: JSONValue) -> [Change] {
        var changes = others.map { Change(body: $0) }
        switch value {
        case .object(let object):
            for member in object {
                var rest = JSONObject()
                for other in object where other.name != member.name {
                    rest[other.name] = other.value
                }
                changes.append(Change(body: .object(rest), path: [member.name]))
                for inner in Self.changes(of: member.value) {
                    var changed = object
                    changed[member.name] = inner.body
                    changes.append(
                        Change(body: .object(changed), path: [member.name] + inner.path))
                }
            }
        case .array(let elements):
            for index in elements.indices {
                for inner in Self.changes(of: elements[index]) {
                    var changed = elements
                    changed[index] = inner.body
                    changes.append(Change(body: .array(changed), path: inner.path))
                }
            }
        case .null, .bool, .integer, .double, .string: break
        }
        return changes
    }

    // MARK: The decoder

    private static func decoder() throws -> RequestDecoder {
        var decoder = RequestDecoder(
            catalogue: try conversationCatalogue(),
            cursors: CursorText(log: LogID(high: 0, low: 1)), lineBytesMax: 1 << 20)
        decoder.makeToken = InMemoryServer.tokens()
        return decoder
    }

    /// Why the decoder refuses a body; `nil` if it doesn't.
    private static func refusal(
        of body: JSONValue, to route: HTTPRoute, by decoder: inout RequestDecoder
    ) -> String? {
        guard case .op(let op) = route.action else { return nil }
        var line = JSONObject()
        if route.body == .event {
            line["event"] = body
        } else if case .object(let members) = body {
            line = members
        } else {
            return "it is no object"
        }
        line["op"] = .string(op.rawValue)
        line["id"] = .integer(0)
        if route.isOfInstance {
            line["to"] = .string("counter/a")
        } else if route.segments.contains(.variable("machine")) {
            line["machine"] = .string("counter")
        }
        if route.segments.contains(.variable("effect")) { line["effect"] = .integer(1) }
        let text = JSONValue.object(line).serialized()
        let decoded = text.withUnsafeBytes { decoder.decode($0) }
        switch decoded.body {
        case .refusal(let error): return error.message
        case .operation(.batch(let batch)):
            return batch.items.contains {
                if case .refused = $0 { true } else { false }
            } ? "an item is refused" : nil
        default: return nil
        }
    }
}
