import Foundation

extension Server {
    /// What the process's environment says, over the file that `GROVE_CONFIG` names, if it does.
    public static var environmentSource: ConfigurationSource {
        let environment = ProcessInfo.processInfo.environment
        return ConfigurationSource(file: environment["GROVE_CONFIG"], environment: environment)
    }
}
