/// Copies of the store for clients: one at a time, each for one connection, removed with it.
///
/// The engine answers requests for backups after the commit of all earlier requests. Its driver
/// calls ``turn()`` between commits while ``isCopying``.
public struct BackupSession {
    private struct Copy {
        let id: String
        let connection: ConnectionID
        let backup: any StoreBackup
        var lastAsked: Timestamp
        /// The reason of a failure; reported once.
        var failure: StoreError?
    }

    private var copy: Copy?
    private var begun: Int64 = 0

    package init() {}

    /// Whether ``turn()`` would copy.
    public var isCopying: Bool {
        guard let copy, copy.failure == nil else { return false }
        return copy.backup.progress.bytes == nil
    }

    package mutating func answer(
        _ request: BackupRequest, of connection: ConnectionID, at now: Timestamp, store: any Store
    ) -> Reply {
        do throws(Failure) {
            switch request.action {
            case .begin: return try begin(for: connection, at: now, store: store)
            case .look(let id):
                let copy = try found(id, of: connection, at: now)
                return .backup(.state(id, copy.backup.progress))
            case .read(let id, let offset, let count):
                let copy = try found(id, of: connection, at: now)
                return .backup(try chunk(of: copy, offset, min(count, Limits.backupChunkBytesMax)))
            case .end(let id):
                _ = try found(id, of: connection, at: now)
                end()
                return .done
            }
        } catch {
            return .failure(error)
        }
    }

    private mutating func begin(
        for connection: ConnectionID, at now: Timestamp, store: any Store
    ) throws(Failure) -> Reply {
        guard let store = store as? any BackupStore else {
            throw .badRequest(
                path: "$", message: "this server keeps its data in memory: there is no file")
        }
        guard copy == nil else { throw .busy("another backup is under way") }
        do throws(StoreError) {
            let backup = try store.beginBackup()
            begun += 1
            let id = "b-\(begun)"
            copy = Copy(id: id, connection: connection, backup: backup, lastAsked: now)
            return .backup(.state(id, backup.progress))
        } catch { throw Failure(ofBackup: error) }
    }

    /// The copy with this id, if it belongs to this connection. Removes a failed one.
    private mutating func found(
        _ id: String, of connection: ConnectionID, at now: Timestamp
    ) throws(Failure) -> Copy {
        guard let copy, copy.id == id, copy.connection == connection else {
            throw .badRequest(
                path: "$.backup", message: "this connection has no such backup, or no longer")
        }
        if let failure = copy.failure {
            end()
            throw Failure(ofBackup: failure)
        }
        self.copy?.lastAsked = now
        return copy
    }

    private mutating func chunk(
        of copy: Copy, _ offset: Int64, _ count: Int
    ) throws(Failure) -> Reply.Backup {
        guard let bytes = copy.backup.progress.bytes else {
            throw .badRequest(path: "$.offset", message: "the copy isn't complete yet")
        }
        guard offset <= bytes else {
            throw .badRequest(path: "$.offset", message: "the copy has only \(bytes) bytes")
        }
        do throws(StoreError) {
            return .chunk(copy.id, offset: offset, try copy.backup.read(at: offset, count: count))
        } catch {
            end()
            throw Failure(ofBackup: error)
        }
    }

    /// Copies for about a millisecond.
    public mutating func turn() {
        guard isCopying, let backup = copy?.backup else { return }
        do throws(StoreError) { try backup.step() } catch {
            // Frees the room at once, and keeps the reason for the next question.
            backup.end()
            copy?.failure = error
        }
    }

    /// Removes the copy of a closed connection.
    package mutating func connectionClosed(_ connection: ConnectionID) {
        if copy?.connection == connection { end() }
    }

    /// Removes a copy after a minute without a request about it.
    public mutating func expire(at now: Timestamp) {
        guard let copy else { return }
        let idle = now.milliseconds - copy.lastAsked.milliseconds
        if idle >= Limits.backupIdleMillisecondsMax { end() }
    }

    public mutating func end() {
        copy?.backup.end()
        copy = nil
    }
}

extension Failure {
    /// The failure of a copy. The store isn't affected.
    fileprivate init(ofBackup error: StoreError) {
        switch error {
        case .full: self = .storageFull
        case .inputOutput(let reason), .corrupt(let reason), .tooLarge(let reason):
            self = .storageCorrupt(reason)
        }
    }
}
