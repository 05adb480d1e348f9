import ArgumentParser

protocol PrincipalCommandLine: AccountsCommandLine {}

extension PrincipalCommandLine {
    static var family: String { "principal" }
}
