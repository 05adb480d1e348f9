import GroveEngine
import GroveNetwork

/// Sending answers and reading requests on the engine's thread (docs/internals/queues.md, "Without
/// a change of threads").
extension EngineLoop {
    /// Changes the duration of a commit up to which this thread reads the next requests.
    func setFastCommit(microseconds: Int64) { fastCommitMicroseconds = microseconds }

    /// Changes the time for filling one batch.
    func setIntake(microseconds: ClosedRange<Int64>) { intakeMicroseconds = microseconds }

    /// After a fast commit with few answers: waits for the next requests on this thread.
    func readNextRequests() {
        let wasReading = isReadingHere
        isReadingHere = false
        if hasFewAnswers, commitMicroseconds <= fastCommitMicroseconds, core != nil,
            intake.isEmpty, !isFlushPosted, executor.hasNothingWaiting
        {
            let bursts = receiver?.readNow() ?? []
            if !bursts.isEmpty {
                isReadingHere = true
                submit(bursts)
            }
        } else if wasReading {
            receiver?.endReading()
        }
    }

    /// Whether there are so few answers and records that this thread may send them.
    static func isSmall(_ ready: Ready) -> Bool {
        guard ready.replies.count + ready.publications.count <= answersSentHereMax,
            ready.replies.allSatisfy({ $0.weight == 0 })
        else { return false }
        var (lines, bytes) = (ready.replies.count, 0)
        for publication in ready.publications {
            lines += publication.recipients.count
            bytes += publication.recipients.count * publication.weight
        }
        return lines <= answersSentHereMax && bytes <= recordBytesSentHereMax
    }
}
