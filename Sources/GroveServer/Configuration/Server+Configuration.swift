import Foundation

extension Server {
    /// The process's environment, over the file named by `GROVE_CONFIG`, if there is one.
    public static var environmentSource: ConfigurationSource {
        let environment = ProcessInfo.processInfo.environment
        return ConfigurationSource(file: environment["GROVE_CONFIG"], environment: environment)
    }
}
