import Glibc
import Testing

@testable import GroveCommands

@Suite("Limits of the process")
struct ProcessLimitsTests {
    @Test func `few files are enough if the limit may be raised`() async {
        await #expect(processExitsWith: .success) {
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit(rlim_cur: 8, rlim_max: 16)
            guard setrlimit(kind, &limit) == 0, ProcessLimits.shortage() == nil else { exit(1) }
            limit = rlimit(rlim_cur: 8, rlim_max: 15)
            guard setrlimit(kind, &limit) == 0 else { exit(2) }
            let text = "this process may have 15 files and sockets open, and needs at least 16: "
            exit(ProcessLimits.shortage()?.hasPrefix(text) == true ? 0 : 3)
        }
    }
}
