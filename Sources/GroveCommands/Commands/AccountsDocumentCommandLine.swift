import ArgumentParser

protocol AccountsDocumentCommandLine: AccountsCommandLine {}

extension AccountsDocumentCommandLine {
    static var family: String { "accounts" }
}
