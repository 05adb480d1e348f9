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
    /// Whether it only reads, or streams what happens: it is carried out where changes are not.
    package var isForReaders = false
    /// Whether a client adds a dedup key where the caller gives none, so that it may repeat it.
    package var getsKey = false
    /// Whether its reply may come long after the request.
    package var waiting = Waiting.never
    /// Whether the time to its reply counts as that of an ack, unless it waits for effects.
    package var isTimed = false
}
