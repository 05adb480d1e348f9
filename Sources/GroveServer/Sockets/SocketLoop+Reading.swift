import Dispatch
import GroveEngine
import GroveHTTP
import GroveNetwork
import GroveProtocol
import GroveWire
import Synchronization

// Reading from sockets that are ready, on the io queue or, between two commits, on the engine's
// thread.

extension SocketLoop {
    /// Reads from and writes to the sockets that are ready.
    func pollReady() {
        isAtWork.store(true, ordering: .relaxed)
        isCollecting = true
        poll(milliseconds: 0)
        isCollecting = false
        submitCollected()
        isAtWork.store(false, ordering: .relaxed)
    }

    /// Waits until sockets are ready, for at most some milliseconds, then reads and writes. Ends
    /// early when ``isTurnOver``; the poller reports the other sockets again.
    private func poll(milliseconds: Int32) {
        isTurnOver = false
        handshakeSteps = 0
        var isFirst = true
        poller.wait(milliseconds: milliseconds) { report in
            if isFirst { refreshNow() }
            isFirst = false
            guard let connection = connections[report.id] else { return }
            if report.isBroken, !connection.isReading(&context) {
                meetEnd(of: connection)
            } else if report.isEnded {
                connection.noteEnd()
                update(connection)
            } else if !report.isReadable {
                update(connection)
            } else if !isTurnOver {
                read(connection)
            }
        }
    }

    // MARK: On the engine's thread

    /// See ``ReadyReceiver/readNow()``.
    func readForEngine() -> [[Request]] {
        // What is posted to the engine comes before what is read here.
        guard collected.isEmpty, engine.executor.hasNothingWaiting, let readiness else {
            resumeReading()
            return []
        }
        if !isReadingSuspended {
            // Else each request would wake Dispatch's threads, too.
            readiness.suspend()
            isReadingSuspended = true
        }
        isCollecting = true
        engine.waker.whileWaiting {
            let isIdle = engine.executor.hasNothingWaiting
            poll(
                milliseconds: isIdle ? Self.waitMilliseconds : 0)
        }
        isCollecting = false
        var bursts: [[Request]] = []
        swap(&bursts, &collected)
        collectedRequests = 0
        context.endTurn()
        if bursts.isEmpty { resumeReading() }
        return bursts
    }

    /// Lets Dispatch report sockets that are ready.
    func resumeReading() {
        guard isReadingSuspended else { return }
        isReadingSuspended = false
        readiness?.resume()
    }

    /// Reads from a connection that is ready: a bounded part, since the poller reports it again.
    private func read(_ connection: Connection) {
        http.work = HTTPLimits.workPerTurnMax
        guard connection.isReading(&context) else { return update(connection) }
        guard connection.channel.map({ takeStep($0, of: connection) }) ?? true else { return }
        for _ in 0..<Self.readsPerTurn {
            let most = isShort ? ServerLimits.shortReadBytesMax : ServerLimits.readBytesMax
            let buffer = UnsafeMutableRawBufferPointer(rebasing: readBuffer.bytes[..<most])
            switch connection.socket.read(into: buffer) {
            case .bytes(let count):
                receive(count, from: connection)
                // Through TLS and with HTTP, a chunk of very short records takes long enough.
                guard count == most, connection.channel == nil, connection.http == nil,
                    connection.isReading(&context)
                else {
                    return update(connection)
                }
            case .end:
                if connection.lingersUntil != nil { return remove(connection) }
                if let channel = connection.channel {
                    receiveEnd(channel, of: connection)
                } else if let http = connection.http {
                    receiveEnd(http, of: connection)
                } else {
                    connection.machine.receiveEnd()
                }
                return update(connection)
            case .wouldBlock: return update(connection)
            case .broken:
                connection.machine.close(.clientGone)
                return remove(connection)
            }
        }
        update(connection)
    }

    private func receive(_ count: Int, from connection: Connection) {
        counters.bytesIn += Int64(count)
        guard connection.lingersUntil == nil else { return }
        let bytes = UnsafeRawBufferPointer(rebasing: readBuffer.bytes[..<count])
        if let channel = connection.channel {
            var plaintext: [UInt8] = []
            swap(&plaintext, &self.plaintext)
            receive(bytes, through: channel, of: connection, into: &plaintext)
            plaintext.removeAll(keepingCapacity: true)
            swap(&plaintext, &self.plaintext)
        } else {
            receiveLines(bytes, from: connection)
        }
    }

    /// Receives bytes of the protocol: as they were read, or decrypted.
    func receiveLines(_ bytes: UnsafeRawBufferPointer, from connection: Connection) {
        if let http = connection.http { return receiveHTTP(bytes, through: http, of: connection) }
        var burst: [Request] = []
        connection.machine.receive(bytes, into: &burst, using: &context)
        submit(burst)
        noteAccess(of: connection)
    }
}
