/// The properties of an op that clients and servers rely on.
package struct OpTraits: Equatable, Sendable {
    /// Whether the reply may come long after the request.
    package enum Waiting: Sendable {
        case never
        /// Only if the request asks for it with `settle`.
        case requested
        case always
    }

    /// Whether it changes nothing, so that a client may repeat it whatever became of it.
    package var reads = false
    /// Whether a client adds a dedup key where the caller gives none, so that it may repeat it.
    package var getsKey = false
    /// Whether its reply may come long after the request.
    package var waiting = Waiting.never
    /// Whether the time to its reply counts as that of an ack, unless it waits for effects.
    package var isTimed = false
}

extension Op {
    /// The table of ops and their properties.
    package var traits: OpTraits {
        switch self {
        case .await: OpTraits(reads: true, waiting: .always)
        case .backup: OpTraits()
        case .batch: OpTraits()
        case .can: OpTraits(reads: true)
        case .cancel: OpTraits()
        case .complete: OpTraits()
        case .create: OpTraits(getsKey: true)
        case .credit: OpTraits()
        case .definitions: OpTraits(reads: true)
        case .delete: OpTraits()
        case .describe: OpTraits(reads: true)
        case .effects: OpTraits(reads: true)
        case .get: OpTraits(reads: true)
        case .hello: OpTraits()
        case .history: OpTraits(reads: true)
        case .import: OpTraits()
        case .list: OpTraits(reads: true)
        case .ping: OpTraits(reads: true)
        case .resume: OpTraits()
        case .retry: OpTraits()
        case .send:
            OpTraits(getsKey: true, waiting: .requested, isTimed: true)
        case .stats: OpTraits(reads: true)
        case .stop: OpTraits()
        case .subscribe: OpTraits()
        case .suspend: OpTraits()
        case .unsubscribe: OpTraits()
        }
    }
}
