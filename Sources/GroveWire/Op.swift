import OrderedJSON

/// The ops of the protocol (protocol.md, "Requests and replies").
package enum Op: String, CaseIterable, Sendable {
    case accounts, audit, auth, await, backup, batch, can, cancel, complete, create, credit, define,
        definitions, delete, describe, effects, get, hello, history, `import`, list, migrate, ping,
        prune, reload, resume, retry, send, stats, stop, subscribe, suspend, token, undefine,
        unsubscribe

    /// The op that a node of a document names; `nil` for no string and for an unknown name.
    package init?(_ document: JSONDocument, _ node: JSONDocument.Node) {
        // The op of most lines.
        if document.stringEquals(node, "send") {
            self = .send
            return
        }
        guard let op = document.string(node).flatMap(Op.init(rawValue:)) else { return nil }
        self = op
    }
}

extension Op {
    /// The properties of each op.
    package var traits: OpTraits {
        switch self {
        case .send: OpTraits(getsKey: true, waiting: .requested, isTimed: true)
        case .create: OpTraits(getsKey: true)
        case .await: OpTraits(reads: true, isForReaders: true, waiting: .always)
        case .audit, .can, .definitions, .describe, .effects, .get, .history, .list, .ping, .stats:
            OpTraits(reads: true, isForReaders: true)
        case .subscribe, .unsubscribe, .credit: OpTraits(isForReaders: true)
        case .accounts, .auth, .backup, .batch, .cancel, .complete, .define, .delete,
            .hello, .import, .migrate, .prune, .reload, .resume, .retry, .stop, .suspend,
            .token, .undefine:
            OpTraits()
        }
    }
}
