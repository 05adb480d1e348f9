import Dispatch
import GroveEngine
import GroveNetwork

/// Copying the store between commits.
extension EngineLoop {
    /// The pause of the copy after each turn, in microseconds. A turn takes some tenths of a
    /// millisecond, so requests have most of the queue, and a gigabyte takes about ten seconds.
    static let restMicroseconds = 2_000

    /// Posts the next turn of a running copy.
    func postBackup() {
        guard !isBackupPosted, let core, core.engine.backup.isCopying else { return }
        isBackupPosted = true
        let deadline = DispatchTime.now() + .microseconds(Self.restMicroseconds)
        executor.queue.asyncAfter(deadline: deadline) { [weak self] in
            self?.assumeIsolated { $0.copySome() }
        }
    }

    private func copySome() {
        isBackupPosted = false
        core?.engine.backup.turn()
        postBackup()
    }
}
