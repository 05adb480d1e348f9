import Glibc
import GroveEngine
import GroveNetwork
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("Stopping", .timeLimit(.minutes(1)))
    struct StopTests {
        @Test func `clients are answered, told, and closed; subscriptions get their last cursor`()
            async throws
        {
            let running = try await RunningServer.start()
            let client = try running.connect()
            _ = try client.ask(#"{"op":"subscribe","id":1,"sub":"s","select":{"kind":["output"]}}"#)
            #expect(try client.line().json("mark") == "live")
            let sends = (1...200).map {
                #"{"op":"send","id":\#($0),"to":"counter/c","event":"increment"}"# + "\n"
            }
            try client.send(sends.joined())
            async let stopped: Void = running.stop()
            var answered: Int64 = 0
            var recorded: Int64 = 0
            var wasTold = false
            var last = ""
            while let line = try client.lineOrEnd() {
                if try line.json("id") != nil {
                    answered += 1
                    let isRefused = try line.json("error")?["code"] == "DRAINING"
                    #expect(try line.json("ok") == true || isRefused)
                } else if try line.json("op") == "draining" {
                    wasTold = true
                } else if try line.json("kind") == "output" {
                    recorded += 1
                }
                last = line
            }
            try await stopped
            #expect(wasTold)
            #expect(try last.json("mark") == "checkpoint" || answered == 200)
            #expect(client.unfinished == 0)
            #expect(recorded <= answered)
            #expect(throws: RawClient.Failure.self) { try RawClient(running.address) }
        }

        @Test func `a client that doesn't hang up is not waited for longer than the grace`()
            async throws
        {
            let running = try await RunningServer.start()
            let client = try running.connect()
            let begin = Clock.uptime()
            try await running.server.stop(graceMilliseconds: 3_000)
            #expect(Clock.uptime() - begin < 3_000)
            #expect(try client.line().json("op") == "draining")
            #expect(try client.lineOrEnd() == nil)
        }

        @Test func `a client that doesn't read is not waited for longer than the grace`()
            async throws
        {
            let running = try await RunningServer.start()
            let client = try RawClient(running.address, receiveBytes: 4_096)
            let echo = String(repeating: "x", count: 100_000)
            for id in 0..<60 {
                try client.send(#"{"op":"ping","id":\#(id),"t":"\#(echo)"}"# + "\n")
            }
            let begin = Clock.uptime()
            try await running.server.stop(graceMilliseconds: 2_000)
            #expect(Clock.uptime() - begin < 2_500)
        }

        @Test func `a stop without any grace ends, whichever comes first: wait or deadline`()
            async throws
        {
            for _ in 1...20 {
                let running = try await RunningServer.start()
                let client = try running.connect()
                try await running.server.stop(graceMilliseconds: 0)
                while try client.lineOrEnd() != nil {}
            }
        }

        @Test func `stopping twice is stopping once`() async throws {
            let running = try await RunningServer.start()
            async let first: Void = running.stop()
            async let second: Void = running.stop()
            _ = try await (first, second)
            await running.server.waitUntilStopped()
        }

        @Test func `SIGTERM ends a running server cleanly`() async {
            await #expect(processExitsWith: .exitCode(7)) {
                var options = ServerOptions()
                options.listen = [.loopbackV4(port: 0)]
                let server = Server(options: options, catalogue: try .init([]), log: Log.silent)
                async let run: Void = server.run()
                await server.waitUntilListening()
                kill(getpid(), SIGTERM)
                try await run
                exit(7)
            }
        }

        @Test func `the second signal ends it as if killed`() async {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let watch = SignalWatch(graceMilliseconds: 60_000)
                await watch.start {
                    kill(getpid(), SIGINT)
                } hangup: {
                }
                kill(getpid(), SIGTERM)
                while true { await Task.yield() }
            }
        }

        @Test func `the end of the grace time ends it as if killed`() async {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let watch = SignalWatch(graceMilliseconds: 3_600_000)
                await watch.start {
                } hangup: {
                }
                await watch.setGrace(milliseconds: 10)
                kill(getpid(), SIGTERM)
                while true { await Task.yield() }
            }
        }

        @Test func `blocked threads of tasks don't hold up the end of the grace time`() async {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let watch = SignalWatch(graceMilliseconds: 100)
                await watch.start {
                } hangup: {
                }
                for _ in 0..<sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 2 {
                    Task.detached { sleep(20) }
                }
                kill(getpid(), SIGTERM)
                // Blocks this thread too. The process ends by itself if nothing else ends it.
                sleep(20)
                exit(0)
            }
        }

        @Test func `a stop that is over leaves the process alone`() async {
            await #expect(processExitsWith: .exitCode(7)) {
                let watch = SignalWatch(graceMilliseconds: 200)
                let (signals, signal) = AsyncStream.makeStream(of: Void.self)
                await watch.start {
                    signal.yield()
                } hangup: {
                }
                kill(getpid(), SIGTERM)
                for await _ in signals { break }
                await watch.disarm()
                try await Task.sleep(for: .milliseconds(400))
                exit(7)
            }
        }

        @Test func `a client that is gone and a file too large don't end the process`() async {
            await #expect(processExitsWith: .exitCode(0)) {
                SignalWatch.ignoreFatal()
                kill(getpid(), SIGPIPE)
                kill(getpid(), SIGXFSZ)
                exit(0)
            }
        }

        @Test func `damage ends with another code than a disk that fails`() {
            #expect(ServerExitCode(.corrupt("x")) == .dataRefused)
            #expect(ServerExitCode(.inputOutput("x")) == .inputOutput)
        }

        @Test(arguments: ServerExitCode.allCases)
        func `exit codes are those of the manual`(code: ServerExitCode) {
            #expect([0, 64, 65, 73, 74, 78].contains(code.rawValue))
        }
    }
}
