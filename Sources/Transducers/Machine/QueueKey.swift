/// A queue of any type, within the scopes its effects came through.
@usableFromInline
package struct QueueKey: Hashable, Sendable {
    var scopes: [AnyKey]
    let base: AnyKey
    let queue: any EffectQueue

    package init(_ queue: any EffectQueue) {
        self.scopes = []
        self.base = AnyKey(queue)
        self.queue = queue
    }

    @usableFromInline
    package static func == (left: QueueKey, right: QueueKey) -> Bool {
        left.scopes == right.scopes && left.base == right.base
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        hasher.combine(scopes)
        hasher.combine(base)
    }
}
