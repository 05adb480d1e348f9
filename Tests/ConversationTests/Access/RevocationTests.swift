import GroveAccess
import GroveEngine
import GroveProtocol
import GroveTestSupport
import OrderedJSON
import Testing

/// A revocation is done when it is acknowledged: a subscriber and a client that pipelines events,
/// with everything in any order, under a hundred seeds. Two planted faults must be found.
@Suite("revocation", .timeLimit(.minutes(5)))
struct RevocationTests {
    /// What is taken away, from both clients.
    enum Way: CaseIterable {
        case tokens, principals, grants, narrowerGrants, rotation, document
    }

    /// A fault of the server.
    enum Fault: CaseIterable {
        /// The engine doesn't decide again.
        case trustsReaders
        /// Subscriptions stay as wide as they were.
        case keepsSubscriptions
    }

    /// A run.
    ///
    /// - Returns: What came too late; empty for a server without faults.
    private func run(seed: UInt64, _ way: Way, _ fault: Fault? = nil) throws -> [String] {
        var random = SeededRandom(seed: seed)
        let run = try Run(fault)
        let revokeAt = Int.random(in: 3..<25, using: &random)
        for step in 0..<60 {
            if step == revokeAt { try run.revoke(way) }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                run.holds = Bool.random(using: &random)
                try run.pipeline(Int.random(in: 1...5, using: &random))
            case 1: try run.talk.server.flush()
            case 2: try run.sendAsOwner()
            default: while run.talk.server.hasBackgroundWork { try run.talk.server.work() }
            }
            try run.look()
        }
        #expect(run.isAcknowledged, "seed \(seed)")
        return run.late
    }

    @Test(arguments: Way.allCases)
    func `nothing that was taken away is done or sent once that is acknowledged`(way: Way) throws {
        for seed in 0..<100 as Range<UInt64> {
            #expect(try run(seed: seed, way) == [], "seed \(seed)")
        }
    }

    @Test(arguments: Fault.allCases)
    func `a fault is found`(fault: Fault) throws {
        let found = try (0..<100 as Range<UInt64>).contains { seed in
            try !run(seed: seed, .grants, fault).isEmpty
        }
        #expect(found)
    }
}

extension RevocationTests {
    /// A subscriber, a client that sends, and the owner, at one server.
    private final class Run {
        let talk: AccessTalk
        private let owner: ConnectionID
        private let sender: ConnectionID
        private let ear: ConnectionID
        private var sent = 0
        private var isAsked = false
        private(set) var isAcknowledged = false
        /// What came although it was taken away.
        private(set) var late: [String] = []

        init(_ fault: Fault?) throws {
            talk = try AccessTalk()
            owner = try talk.connectOwner()
            try talk.addPrincipal("pipe", ["send counter/a"])
            try talk.addPrincipal("ear", ["subscribe counter/*"])
            sender = try talk.connect(as: "pipe")
            ear = try talk.connect(as: "ear")
            talk.server.tamper = { [weak self] in self?.pass($0, fault) ?? [] }
            _ = try talk.ask(
                #"{"op":"subscribe","id":1,"sub":"s","select":{"kind":["state"]}}"#, from: ear)
        }

        /// Requests that were read and that the engine hasn't seen, as if it was busy.
        private var held: [Request] = []
        var holds = false
        private var releases = false

        private func pass(_ request: Request, _ fault: Fault?) -> [Request] {
            let request = fault.map { Self.damaged(request, $0) } ?? request
            if holds, request.connection == sender {
                held.append(request)
                return []
            }
            guard request.connection == sender || releases else { return [request] }
            defer { held = [] }
            return held + [request]
        }

        /// A request that the engine takes for one of the owner, whose accounts don't change.
        private static func damaged(_ request: Request, _ fault: Fault) -> Request {
            switch (request.operation, fault) {
            case (.send, .trustsReaders), (.subscribe, .keepsSubscriptions):
                Request(
                    connection: request.connection, token: request.token,
                    operation: request.operation, caller: .owner)
            default: request
            }
        }

        /// The owner says something.
        func say(_ line: String) throws {
            try talk.server.receive(Array((line + "\n").utf8), from: owner)
        }

        /// The owner sends, too, and the engine gets what was held.
        func sendAsOwner() throws {
            releases = true
            defer { releases = false }
            try say(#"{"op":"send","id":0,"to":"counter/a","event":"increment"}"#)
        }

        func revoke(_ way: Way) throws {
            for line in talk.revocation(way) { try say(line) }
            isAsked = true
        }

        /// The client sends some events without waiting.
        func pipeline(_ count: Int) throws {
            for _ in 0..<count {
                sent += 1
                let line = #"{"op":"send","id":\#(sent),"to":"counter/a","event":"increment"}"#
                try talk.server.receive(Array((line + "\n").utf8), from: sender)
            }
        }

        /// Looks at what has come: once the owner has its answer, nothing more may.
        func look() throws {
            if isAcknowledged {
                late += try talk.read(sender).filter { $0.contains(#""ok":true"#) }
                late += try talk.read(ear).filter { $0.contains(#""after""#) }
            } else if isAsked, try talk.read(owner).joined().contains(#""id":"last""#) {
                // What was written before the answer may still be on its way.
                isAcknowledged = true
                _ = try talk.read(sender)
                _ = try talk.read(ear)
            }
        }
    }
}

extension AccessTalk {
    /// A connection of the server's owner.
    fileprivate func connectOwner() throws -> ConnectionID {
        let id = server.connect(as: ClientOrigin(address: "unix", isLocal: true, isOwner: true))
        _ = try server.read(id)
        return id
    }

    fileprivate func read(_ id: ConnectionID) throws -> [String] {
        try server.read(id).split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The lines that take away what both clients have. The last one has the id `last`.
    fileprivate func revocation(_ way: RevocationTests.Way) -> [String] {
        let ids = ["pipe", "ear"].map { tokenID(of: $0) }
        switch way {
        case .tokens:
            return [
                #"{"op":"token","id":1,"action":"revoke","token_id":"\#(ids[0])"}"#,
                #"{"op":"token","id":"last","action":"revoke","token_id":"\#(ids[1])"}"#,
            ]
        case .principals:
            return [
                #"{"op":"accounts","id":1,"action":"revoke","principal":"pipe"}"#,
                #"{"op":"accounts","id":"last","action":"revoke","principal":"ear"}"#,
            ]
        case .grants, .narrowerGrants:
            let narrower = way == .narrowerGrants
            let send = narrower ? #","add":{"grants":["send(decrement) counter/a"]}"# : ""
            let hear = narrower ? #","add":{"grants":["subscribe counter/b"]}"# : ""
            return [
                #"{"op":"accounts","id":1,"action":"change","principal":"pipe","#
                    + #""remove":{"grants":["send counter/a"]}\#(send)}"#,
                #"{"op":"accounts","id":"last","action":"change","principal":"ear","#
                    + #""remove":{"grants":["subscribe counter/*"]}\#(hear)}"#,
            ]
        case .rotation:
            return [
                #"{"op":"token","id":1,"action":"rotate","overlap_ms":0,"token_id":"\#(ids[0])"}"#,
                #"{"op":"token","id":"last","action":"rotate","overlap_ms":0,"#
                    + #""token_id":"\#(ids[1])"}"#,
            ]
        case .document:
            return [
                #"{"op":"accounts","id":"last","action":"apply","force":true,"#
                    + #""document":{"accounts":1,"principals":{}}}"#
            ]
        }
    }
}
