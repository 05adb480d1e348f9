import Glibc
import Testing
import Transducers

@testable import GroveServer

@Suite("DescriptorLimit")
struct DescriptorLimitTests {
    @Test func `too low a limit is a failure to start, and says so`() async {
        await #expect(processExitsWith: .success) {
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            // The soft limit can be raised, and then suffices.
            var limit = rlimit(rlim_cur: 20, rlim_max: 64)
            guard setrlimit(kind, &limit) == 0, DescriptorLimit.shortage() == nil else { exit(1) }
            limit = rlimit(rlim_cur: 20, rlim_max: 63)
            guard setrlimit(kind, &limit) == 0 else { exit(2) }
            do throws(Server.Failure) {
                _ = try Server(ServerConfiguration(), hosting: [], handlers: .init())
            } catch {
                let text = "may have 63 files and sockets open, and a server needs at least 64"
                exit(error.exitCode == 78 && error.message.contains(text) ? 0 : 3)
            }
            exit(4)
        }
    }

    @Test func `the process's own limit is raised as far as it may be`() async {
        await #expect(processExitsWith: .success) {
            func limit() -> rlimit {
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                return limit
            }
            var low = rlimit(rlim_cur: 100, rlim_max: 1_000)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low) == 0 else {
                exit(1)
            }
            guard DescriptorLimit.raise(connections: 200) == nil,
                limit().rlim_cur == rlim_t(200 + DescriptorLimit.reserve)
            else { exit(2) }
            // The limit is never lowered.
            guard DescriptorLimit.raise(connections: 1) == nil, limit().rlim_cur > 700 else {
                exit(3)
            }
            guard DescriptorLimit.raise(connections: 10_240) == 1_000, limit().rlim_cur == 1_000
            else { exit(4) }
            exit(0)
        }
    }
}
