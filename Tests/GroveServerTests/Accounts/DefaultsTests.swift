import Foundation
import GroveAccess
import GroveEngine
import GroveStorage
import GroveTestSupport
import Testing
import Transducers

@testable import GroveServer

extension OverSockets {
    /// What lets a server start: each combination of address, TLS, accounts and switches.
    @Suite("Defaults of access", .timeLimit(.minutes(2)))
    struct DefaultsTests {
        struct Case: CustomStringConvertible {
            let isReachable: Bool
            let isEncrypted: Bool
            let hasAccounts: Bool
            let flag: String?

            /// Whether it starts, as docs/operating/security.md says.
            var starts: Bool {
                guard isReachable else { return true }
                return isEncrypted
                    ? hasAccounts || flag == "insecure-anonymous" : flag == "insecure-plaintext"
            }

            /// What the refusal tells to do.
            var advice: [String] {
                isEncrypted
                    ? ["grove token create --data", "--tls-client-certificates required"]
                    : ["listen on tls:", "--insecure-plaintext"]
            }

            var description: String {
                "\(isReachable ? "others" : "loopback") \(isEncrypted ? "TLS" : "plain") "
                    + "\(hasAccounts ? "accounts" : "open") \(flag ?? "-")"
            }

            static let all = [false, true].flatMap { isReachable in
                [false, true].flatMap { isEncrypted in
                    [false, true].flatMap { hasAccounts in
                        [nil, "insecure-plaintext", "insecure-anonymous"].map { flag in
                            Case(
                                isReachable: isReachable, isEncrypted: isEncrypted,
                                hasAccounts: hasAccounts, flag: flag)
                        }
                    }
                }
            }
        }

        /// A data file, with a principal if it is wanted.
        private func data(_ folder: TemporaryFolder, hasAccounts: Bool) throws -> String {
            let path = folder.path("grove.db")
            let store = try SQLiteStore.open(path: path)
            if hasAccounts {
                var table = AccountsTable()
                var wish = TokenWish(try PrincipalName("ops"))
                wish.grants = [try Grant("admin */*")]
                let made = DigestedToken(BearerToken.generate())
                var writes = WriteSet(firstSequence: store.head + 1)
                writes.accounts = try table.carryOut(
                    .createToken(wish, made), as: .offline, at: 1
                ).rows
                try store.commit(writes)
            }
            try store.close()
            return path
        }

        @Test(arguments: Case.all)
        func `a server starts, or says what would help`(wanted: Case) async throws {
            let folder = try TemporaryFolder()
            let files = try TestCertificates.shared.get()
            let host = wanted.isReachable ? "0.0.0.0:0" : "127.0.0.1:0"
            var flags = [
                "data": try data(folder, hasAccounts: wanted.hasAccounts),
                "listen": (wanted.isEncrypted ? "tls:" : "") + host,
            ]
            if wanted.isEncrypted {
                flags["tls-certificate"] = files.certificate("server")
                flags["tls-key"] = files.key("server")
            }
            if let flag = wanted.flag { flags[flag] = "true" }
            let configuration = try ServerConfiguration.load(
                file: nil, environment: [:], flags: flags)
            let server = try Server(configuration, hosting: [], handlers: .init())
            var failure: Server.Failure?
            do throws(Server.Failure) {
                try await server.start()
            } catch {
                failure = error
            }
            #expect((failure == nil) == wanted.starts, "\(wanted)")
            if let failure {
                #expect(failure.exitCode == 78)
                for advice in wanted.advice { #expect(failure.message.contains(advice)) }
            } else {
                try await server.stop(graceMilliseconds: 1_000)
            }
        }

        @Test func `there are twenty-four`() { #expect(Case.all.count == 24) }
    }
}
