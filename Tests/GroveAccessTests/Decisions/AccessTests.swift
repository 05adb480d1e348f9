import GroveAccess
import GroveWire
import Testing

/// The privilege matrix: every op × who asks × whose instance × which event.
@Suite("Access")
struct AccessTests {
    /// Who asks.
    enum Asker: CaseIterable {
        case nobody, everything, withoutGrants, sender, reader, subscriber, manager, definer
        case administrator, all

        static let own = "order/own"

        var grants: [String]? {
            switch self {
            case .nobody, .everything: nil
            case .withoutGrants: []
            case .sender: ["send(place) \(Self.own)"]
            case .reader: ["read \(Self.own)"]
            case .subscriber: ["subscribe \(Self.own)"]
            case .manager: ["manage \(Self.own)"]
            case .definer: ["define order/*"]
            case .administrator: ["admin */*"]
            case .all:
                [
                    "send(place) \(Self.own)", "read,subscribe,manage \(Self.own)",
                    "define order/*", "admin */*",
                ]
            }
        }

        /// - Parameter isRemembered: With many grants of names that nobody asks about, so that
        ///   decisions are remembered.
        func subject(isRemembered: Bool = false) throws -> AccessSubject {
            guard let grants else { return self == .nobody ? .nobody : .everything }
            let others = grants.flatMap { grant in
                (0..<(isRemembered ? 5 : 0)).map { grant.replacing("/own", with: "/else-\($0)") }
            }
            let all = try (grants + others).map { try Grant($0) }
            return .principal(GrantTable(try PrincipalName("shop"), all))
        }

        func has(_ asker: Asker) -> Bool { self == asker || self == .all }
    }

    /// The rows of the page, written down a second time.
    private func expected(
        _ op: Op, _ asker: Asker, isOwnInstance: Bool, isOwnMachine: Bool, type: String?
    ) -> AccessDecision {
        switch (asker, op) {
        case (_, .hello), (_, .auth): return .allowed
        case (.nobody, _): return .unauthenticated
        case (.everything, _): return .allowed
        default: break
        }
        switch op.rawValue {
        case "ping", "credit", "unsubscribe", "batch", "complete", "list", "effects",
            "definitions", "describe":
            return .allowed
        case "send", "create":
            let mayType = op == .send && type == "place"
            return asker.has(.sender) && isOwnInstance && mayType ? .allowed : .forbidden(.send)
        case "get", "history", "await":
            return asker.has(.reader) && isOwnInstance ? .allowed : .forbidden(.read)
        case "can":
            guard asker.has(.reader), isOwnInstance else { return .forbidden(.read) }
            return asker.has(.sender) && type == "place" ? .allowed : .forbidden(.send)
        case "subscribe":
            return asker.has(.subscriber) ? .allowed : .forbidden(.subscribe)
        case "stop", "delete", "cancel", "retry", "import", "suspend", "resume", "migrate":
            return asker.has(.manager) && isOwnInstance ? .allowed : .forbidden(.manage)
        case "define", "prune", "undefine":
            return asker.has(.definer) && isOwnMachine ? .allowed : .forbidden(.define)
        case "backup", "stats", "accounts", "token", "audit", "reload":
            return asker.has(.administrator) ? .allowed : .forbidden(.admin)
        default:
            Issue.record("a new op \(op): add it to the matrix")
            return .allowed
        }
    }

    private func decide(
        _ op: Op, _ subject: AccessSubject, _ name: String?, _ type: String?,
        _ cache: inout AccessCache
    ) -> AccessDecision {
        guard let name else {
            return Access.decide(op, AccessQuestion(), for: subject, remembering: &cache)
        }
        return withBytes(name) { name in
            withBytes(type) { type in
                Access.decide(
                    op, AccessQuestion(AccessTarget(name: name), eventType: type), for: subject,
                    remembering: &cache)
            }
        }
    }

    @Test(arguments: Asker.allCases, [false, true])
    func `every cell of the matrix`(asker: Asker, isRemembered: Bool) throws {
        let subject = try asker.subject(isRemembered: isRemembered)
        var cache = AccessCache()
        for op in Op.allCases {
            for type in ["place", "pay", nil] {
                for name in ["order/own", "order/foreign", "order/missing", "order", "door/own"] {
                    let wanted = expected(
                        op, asker, isOwnInstance: name == "order/own",
                        isOwnMachine: name.hasPrefix("order"), type: type)
                    // The second time it is remembered.
                    for _ in 0..<2 {
                        let found = decide(op, subject, name, type, &cache)
                        #expect(found == wanted, "\(asker) \(op) \(name) \(type ?? "-")")
                    }
                }
                let foreign = decide(op, subject, "order/foreign", type, &cache)
                #expect(decide(op, subject, "order/missing", type, &cache) == foreign)
            }
            let unnamed = expected(
                op, asker, isOwnInstance: false, isOwnMachine: false, type: nil)
            #expect(decide(op, subject, nil, nil, &cache) == unnamed, "\(asker) \(op)")
        }
    }

    @Test func `create takes a grant of send for every event`() throws {
        var cache = AccessCache()
        let narrow = AccessSubject.principal(try GrantTable.reading("send(*) order/*"))
        #expect(decide(.create, narrow, "order/a", "place", &cache) == .forbidden(.send))
        let wide = AccessSubject.principal(try GrantTable.reading("send order/*"))
        #expect(decide(.create, wide, "order/a", nil, &cache) == .allowed)
    }

    @Test func `a grant with all names covers requests without one`() throws {
        var cache = AccessCache()
        let subject = AccessSubject.principal(try GrantTable.reading("define,manage */*"))
        #expect(decide(.define, subject, nil, nil, &cache) == .allowed)
        #expect(decide(.stop, subject, nil, nil, &cache) == .allowed)
        #expect(decide(.get, subject, nil, nil, &cache) == .forbidden(.read))
    }

    @Test(arguments: [Op.suspend, .resume])
    func `a hold of a whole machine takes a grant about all its instances`(op: Op) throws {
        var cache = AccessCache()
        let some = AccessSubject.principal(try GrantTable.reading("manage order/o-*"))
        #expect(decide(op, some, "order/o-1", nil, &cache) == .allowed)
        #expect(decide(op, some, "order", nil, &cache) == .forbidden(.manage))
        let all = AccessSubject.principal(try GrantTable.reading("manage order/*"))
        #expect(decide(op, all, "order", nil, &cache) == .allowed)
    }

    @Test func `health is for local connections and administrators`() throws {
        func health(_ subject: AccessSubject, isLocal: Bool) -> AccessDecision {
            var cache = AccessCache()
            var question = AccessQuestion()
            question.wantsHealth = true
            question.isLocal = isLocal
            return Access.decide(.ping, question, for: subject, remembering: &cache)
        }
        for asker in Asker.allCases {
            let subject = try asker.subject()
            let isFree = asker.has(.administrator) || asker == .everything
            let remote: AccessDecision = isFree ? .allowed : .forbidden(.admin)
            #expect(
                health(subject, isLocal: false) == (asker == .nobody ? .unauthenticated : remote))
            // Whatever watches the process on this machine needs no token.
            #expect(health(subject, isLocal: true) == .allowed)
        }
    }

    @Test func `decisions have the codes of refusals, before all about what exists`() {
        #expect(AccessDecision.allowed.code == nil)
        #expect(AccessDecision.unauthenticated.code == .unauthenticated)
        #expect(AccessDecision.forbidden(.read).code == .forbidden)
        let order = ErrorCode.allCases
        let codes: [ErrorCode] = [.unauthenticated, .forbidden, .noSuchMachine]
        let places = codes.compactMap { order.firstIndex(of: $0) }
        #expect(places == places.sorted() && places.count == 3)
    }
}
