import Foundation

extension Server {
    /// What the process's environment says, over the file that `GROVE_CONFIG` names, if it does.
    ///
    /// - Throws: ``Failure/configuration(_:)`` with the key and what would do.
    public static func environmentConfiguration() throws(Failure) -> ServerConfiguration {
        let environment = ProcessInfo.processInfo.environment
        do {
            return try ServerConfiguration.load(
                file: environment["GROVE_CONFIG"], environment: environment, flags: [:])
        } catch {
            throw .configuration(error.description)
        }
    }
}
