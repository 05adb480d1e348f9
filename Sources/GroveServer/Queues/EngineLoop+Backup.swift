import Dispatch
import GroveEngine
import GroveNetwork

/// Copying the store between commits.
extension EngineLoop {
    /// How long the copy rests after each turn, in microseconds. A turn takes some tenths of a
    /// millisecond, so requests have most of the queue, and a gigabyte takes some ten seconds.
    static let restMicroseconds = 2_000

    /// The same actions, with answers to the requests for backups behind the other replies.
    func answeringBackups(_ actions: Actions) -> Actions {
        guard let core else { return actions }
        var actions = actions
        let now = Clock.time()
        for request in actions.backups {
            guard case .backup(let wanted) = request.operation else { continue }
            let reply = core.backups.answer(
                wanted, of: request.connection, at: now, store: core.store)
            actions.replies.append(
                Actions.ReplyTo(
                    connection: request.connection, token: request.token, reply: reply))
        }
        postBackup()
        return actions
    }

    private func postBackup() {
        guard !isBackupPosted, let core, core.backups.isCopying else { return }
        isBackupPosted = true
        let deadline = DispatchTime.now() + .microseconds(Self.restMicroseconds)
        executor.queue.asyncAfter(deadline: deadline) { [weak self] in
            self?.assumeIsolated { $0.copySome() }
        }
    }

    private func copySome() {
        isBackupPosted = false
        core?.backups.turn()
        postBackup()
    }
}
