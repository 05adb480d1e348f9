import ArgumentParser

protocol TokenCommandLine: AccountsCommandLine {}

extension TokenCommandLine {
    static var family: String { "token" }
}
