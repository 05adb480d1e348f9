import GroveWire
public import OrderedJSON

/// The ops of the protocol that the engine answers. One word, since it is moved from hand to hand
/// with each event: what is larger is behind a pointer.
public enum Operation: Sendable {
    case send(Send)
    indirect case create(Create)
    indirect case get(Get)
    indirect case list(List)
    indirect case history(History)
    indirect case subscribe(Subscribe)
    indirect case unsubscribe(SubscriptionName)
    indirect case credit(SubscriptionName, Int64)
    indirect case stop(InstanceName, reason: String?)
    indirect case delete(InstanceName)
    case definitions(withCounts: Bool = false)
    indirect case define(Define)
    indirect case undefine(String)
    indirect case prune(String)
    indirect case migrate(Migrate)
    case stats
    indirect case effects(EffectsQuery)
    indirect case cancel(InstanceName, CancelChoice)
    /// Without a run, an instance that was set aside.
    indirect case retry(InstanceName, effect: Int64?, event: JSONValue? = nil)
    indirect case suspend(HoldSubject, reason: String?)
    indirect case resume(HoldSubject)
    indirect case complete(EffectToken, EffectAnswer)
    indirect case await(Await)
    indirect case batch(SendBatch)
    indirect case can(Can)
    indirect case describe(Describe)
    indirect case importing(Import)
    indirect case backup(BackupRequest)
    indirect case accounts(AccountsRequest)
}

extension Operation {
    /// Its op, whose facts are ``OpTraits``.
    package var op: Op {
        switch self {
        case .send: .send
        case .batch: .batch
        case .can: .can
        case .create: .create
        case .get: .get
        case .list: .list
        case .history: .history
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .credit: .credit
        case .stop: .stop
        case .suspend: .suspend
        case .resume: .resume
        case .delete: .delete
        case .effects: .effects
        case .cancel: .cancel
        case .retry: .retry
        case .complete: .complete
        case .await: .await
        case .importing: .import
        case .backup: .backup
        case .definitions: .definitions
        case .define: .define
        case .undefine: .undefine
        case .prune: .prune
        case .migrate: .migrate
        case .describe: .describe
        case .stats: .stats
        case .accounts(let request): request.op
        }
    }
}

extension Engine {
    /// Answers a request; `nil` when the answer comes later.
    mutating func perform(_ request: borrowing Request, in turn: Turn) -> Reply? {
        switch request.operation {
        case .send(let send) where send.settle != .none:
            sendAndSettle(send, of: copy request, in: turn)
        case .send(let send): self.send(send, in: turn)
        case .create(let create): self.create(create, in: turn)
        case .get(let get): self.get(get, in: turn)
        case .list(let list): self.list(list, of: copy request, in: turn)
        case .history(let history):
            page(.history(HistoryRead(history, by: request.caller)), of: copy request, in: turn)
        case .subscribe(let subscribe): self.subscribe(subscribe, of: request, in: turn)
        case .unsubscribe(let name): unsubscribe(name, of: request.connection)
        case .credit(let name, let count): credit(count, to: name, of: request.connection)
        case .stop(let name, let reason): stop(name, reason: reason, in: turn)
        case .delete(let name): delete(name, reason: nil, in: turn)
        // Only the store counts, when it commits.
        case .definitions(withCounts: true) where !batch.writes.isEmpty: hold(copy request)
        case .definitions(let withCounts):
            definitions(withCounts: withCounts, for: request.caller, in: turn)
        case .define(let define): self.define(define, by: request.caller, in: turn)
        case .undefine(let name): undefine(name, in: turn)
        case .prune(let name): prune(name, of: copy request, in: turn)
        case .migrate(let migrate): self.migrate(migrate, in: turn)
        case .stats: statistics(store: turn.store)
        case .effects(let query): effects(query, of: copy request, in: turn)
        case .cancel(let name, let choice): cancel(name, choice, in: turn)
        case .retry(let name, let effect?, let event):
            retry(name, effect: effect, event: event, in: turn)
        case .retry(let name, nil, _): retry(name, in: turn)
        case .suspend(let subject, let reason):
            suspend(subject, reason: reason, in: turn)
        case .resume(let subject): resume(subject, in: turn)
        case .complete(let token, let answer):
            complete(token, answer, by: request.caller, in: turn)
        case .await(let wanted): wait(for: wanted, of: copy request, in: turn)
        case .batch(let items): apply(items, in: turn)
        case .can(let can): self.can(can, in: turn)
        case .describe(let query): describe(query, for: request.caller, in: turn)
        case .importing(let item): importInstance(item, in: turn)
        case .backup: hold(copy request)
        case .accounts(let wanted): accounts(wanted, of: request.caller, in: turn)
        }
    }
}
