import GroveAccess
import GroveWire
import OrderedJSON

// The queue that reads lines decides about each request by the accounts that it has. The engine
// decides again about those that were read before the accounts changed: once a revocation is
// acknowledged, nothing is carried out for what was taken away.

extension Engine {
    /// The refusal of a request that was allowed by other accounts than the present ones; `nil` if
    /// it is allowed by these too.
    mutating func refusal(of request: borrowing Request) -> Failure? {
        guard request.caller.version != access.accounts.version else { return nil }
        batch.rely(on: batch.committedAccounts != nil)
        guard access.accounts.recognizes(request.caller) else { return .unauthenticated }
        let subject = access.subject(of: request.caller.principal)
        switch request.operation.decide(for: subject) {
        case .allowed: return nil
        case .unauthenticated: return .unauthenticated
        case .forbidden(let verb): return .forbidden(verb: verb.rawValue)
        }
    }

    /// The refusal of an answer that has waited while the accounts changed; `nil` if its caller may
    /// still read the instance.
    mutating func refusal(ofReading name: InstanceName, by caller: Caller) -> Failure? {
        guard caller.version != access.accounts.version else { return nil }
        let isAllowed = access.subject(of: caller.principal).allows(.read, name)
        return isAllowed ? nil : .forbidden(verb: Verb.read.rawValue)
    }

    /// What a subscriber may see of a selection; `nil` for all of it.
    mutating func narrowed(
        _ selection: Selection, for caller: Caller
    ) throws(Failure) -> [NameScope]? {
        let subject = access.subject(of: caller.principal)
        switch subject.narrow(
            .subscribe, machine: selection.machine, instance: selection.instance)
        {
        case .whole: return nil
        case .part(let scopes): return scopes
        case .nothing: throw .forbidden(verb: Verb.subscribe.rawValue)
        }
    }

    /// Whether a subscriber manages all instances that a selection can select.
    mutating func managesAll(_ selection: Selection, _ caller: Caller) -> Bool {
        let subject = access.subject(of: caller.principal)
        return subject.narrow(
            .manage, machine: selection.machine, instance: selection.instance) == .whole
    }

    /// Narrows subscriptions to what their subscribers may see by the present accounts. Those that
    /// may see nothing of it any more get nothing. It looks at all of them, and at the patterns of
    /// those for whom something has changed.
    mutating func narrowSubscriptions(since former: AccountsTable) {
        guard access.accounts.version != former.version, !subscriptions.isEmpty else { return }
        var affected: [UInt32: Bool] = [:]
        for subscription in subscriptions.all {
            let principal = subscription.caller.principal
            let isAffected =
                affected[principal] ?? access.accounts.differs(from: former, for: principal)
            affected[principal] = isAffected
            guard isAffected else { continue }
            var scopes: [NameScope]? = []
            var showsSenders = false
            // By the principal: its client may have shown another token since. A connection whose
            // token or identity was revoked is closed before anything else is sent on it.
            do throws(Failure) {
                scopes = try narrowed(subscription.selection, for: subscription.caller)
                showsSenders = managesAll(subscription.selection, subscription.caller)
            } catch {
                scopes = []
            }
            subscription.narrow(to: scopes, showsSenders: showsSenders)
        }
    }
}

extension Operation {
    /// Decides by the names in it.
    fileprivate func decide(for subject: AccessSubject) -> AccessDecision {
        var cache = AccessCache()
        func ask(_ op: Op, _ question: AccessQuestion) -> AccessDecision {
            Access.decide(op, question, for: subject, remembering: &cache)
        }
        func about(_ name: InstanceName, event: [UInt8]? = nil) -> AccessDecision {
            name.withParts { machine, instance in
                let target = AccessTarget(machine: machine, instance: instance)
                guard let event else { return ask(op, AccessQuestion(target)) }
                return Self.withType(of: event) {
                    ask(op == .batch ? .send : op, AccessQuestion(target, eventType: $0))
                }
            }
        }
        func about(_ machine: String) -> AccessDecision {
            var machine = machine
            return machine.withUTF8 {
                ask(
                    op,
                    AccessQuestion(
                        AccessTarget(machine: UnsafeRawBufferPointer($0), instance: nil)))
            }
        }
        switch self {
        case .send(let send): return about(send.to, event: send.eventText)
        case .batch(let batch):
            for case .send(let send) in batch.items {
                let decision = about(send.to, event: send.eventText)
                if decision != .allowed { return decision }
            }
            return ask(op, AccessQuestion())
        case .can(let can): return about(can.to, event: can.eventText)
        case .create(let create): return about(create.to)
        case .get(let get): return about(get.to)
        case .history(let history): return about(history.to)
        case .await(let wanted): return about(wanted.to)
        case .stop(let name, _), .delete(let name), .cancel(let name, _),
            .retry(let name, _, _):
            return about(name)
        case .migrate(let migrate): return about(migrate.to)
        case .importing(let item): return about(item.to)
        case .suspend(let subject, _), .resume(let subject):
            switch subject {
            case .instance(let name): return about(name)
            case .machine(let name): return about(name)
            }
        case .define(let define): return about(define.machine ?? "")
        case .undefine(let name), .prune(let name): return about(name)
        case .list, .subscribe, .unsubscribe, .credit, .definitions, .stats, .effects, .complete,
            .describe, .backup, .accounts:
            return ask(op, AccessQuestion())
        }
    }

    /// Calls `body` with the type of an event: its text if it is a string, else its member `type`.
    private static func withType<R>(
        of event: [UInt8], _ body: (UnsafeRawBufferPointer?) -> R
    ) -> R {
        do {
            let document = try JSONDocument(parsing: event)
            let root = document.root
            let node = document.kind(root) == .string ? root : document.member("type", of: root)
            guard let node, document.kind(node) == .string else { return body(nil) }
            return document.withStringBytes(node) { body($0) } ?? body(nil)
        } catch {
            // It was read before; without a type it takes a grant of all types.
            return body(nil)
        }
    }
}
