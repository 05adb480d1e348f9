import GroveEngine
import GroveWire
import OrderedJSON

// The list of all ops in this target: each has a line that decodes its request, and a line that
// writes its reply.

extension RequestDecoder {
    mutating func body(
        _ node: JSONDocument.Node, at path: String, _ fields: Fields,
        _ line: UnsafeRawBufferPointer
    ) throws(WireError) -> DecodedLine.Body {
        guard let op = Op(document, node) else {
            throw WireError(.unknownOp, at: path, Op.problem(document.string(node)))
        }
        self.op = op
        try requireAccess(op, fields)
        let operation: Operation
        switch op {
        case .send: operation = .send(try send(fields, line))
        case .create: operation = .create(try create(fields))
        case .get: operation = .get(try get(fields))
        case .list: operation = .list(try list())
        case .history: operation = .history(try history(fields))
        case .subscribe: operation = .subscribe(try subscribe())
        case .unsubscribe: operation = .unsubscribe(try subscriptionName())
        case .credit: operation = .credit(try subscriptionName(), try grant())
        case .stop: operation = .stop(try to(fields), reason: try reason())
        case .suspend: operation = .suspend(try held(fields), reason: try reason())
        case .resume: operation = .resume(try held(fields))
        case .delete: operation = .delete(try to(fields))
        case .effects: operation = .effects(try effects(fields))
        case .cancel: operation = .cancel(try to(fields), try cancelChoice())
        case .retry: operation = try retry(fields)
        case .complete: operation = try complete()
        case .await: operation = .await(try awaited(fields))
        case .batch: operation = .batch(try batch(line))
        case .can: operation = .can(try can(fields, line))
        case .describe: operation = .describe(try describe())
        case .import: operation = .importing(try importing(fields))
        case .backup: operation = .backup(BackupRequest(try backupAction()))
        case .definitions: operation = try definitions()
        case .define: operation = .define(try define())
        case .migrate: operation = .migrate(try migrate(fields))
        case .prune: operation = .prune(try required(text("name"), "name"))
        case .undefine: operation = .undefine(try required(text("name"), "name"))
        case .stats:
            if let step = try seriesStep() { return .series(step) }
            operation = .stats
        case .accounts: operation = .accounts(try accounts())
        case .token: operation = .accounts(try token())
        case .audit: operation = .accounts(try audit())
        case .auth: return .auth(try tokenMember(required: true))
        case .reload: return .reload
        case .ping:
            let echo = member("t").map { document.text($0) }
            return .ping(echo, withHealth: try flag("health") ?? false)
        case .hello: return try hello()
        }
        return .operation(operation)
    }
}

extension ReplyEncoder {
    mutating func appendFields(
        _ reply: Reply, as shape: LineShape, _ writer: inout JSONWriter
    ) {
        switch reply {
        case .created(let created): append(created, &writer)
        case .got(let got): append(got, &writer)
        case .listed(let items, let next): append(items, next: next, &writer)
        case .history(let steps, let next, let first):
            append(steps, next: next, first: first, &writer)
        case .subscribed(let name, let current, let first, let isNarrowed):
            append(name, current: current, first: first, &writer)
            writer.flag("narrowed", isNarrowed)
        case .stopped(let version, let cursor): append(version: version, cursor, &writer)
        case .held(let version, let changed, let cursor):
            append(version: version, isChanged: changed, cursor, &writer)
        case .defined(let defined): append(defined, &writer)
        case .migrated(let migrated): append(migrated, &writer)
        case .pruned(let pruned): append(pruned, &writer)
        case .undefined(let instances): writer.member("instances", instances)
        case .definitions(let items): writer.array("items", items) { append($1, &$0) }
        case .statistics(let numbers): Self.append(numbers, &writer)
        case .effects(let rows, let next): append(rows, next: next, &writer)
        case .cancelled(let runs, let cursor): append(runs, cursor, &writer)
        case .batch(let results): append(results, as: shape, &writer)
        case .can(let can): append(can, &writer)
        case .described(let described): append(described, &writer)
        case .describing(let describing): append(describing.described, &writer)
        case .written(let members): writer.raw(members)
        case .backup(let backup): append(backup, &writer)
        case .accounts(let accounts): append(accounts, &writer)
        case .sent(let sent):
            writer.literal(#","v":"#)
            append(sent, &writer)
        case .done, .failure: break
        }
    }
}
