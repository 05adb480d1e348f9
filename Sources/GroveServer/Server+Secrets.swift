import GroveEffects
import GroveTLS

extension Server {
    /// The options of the handler `http`, with the values of its secrets from their files.
    ///
    /// - Throws: ``Failure/configuration(_:)`` with the secret or file that is wrong, and without
    ///   any value.
    static func readSecrets(_ options: HTTPOptions) throws(Failure) -> HTTPOptions {
        var options = options
        if !options.secretGrants.isEmpty {
            do throws(SecretProblem) {
                options.secrets = try EffectSecrets(
                    options.secretGrants, folder: options.secretsFolder)
            } catch {
                throw .configuration("secrets: \(error)")
            }
        }
        if let file = options.trustRootsFile {
            var client = TLSClientOptions()
            client.trust = .authorities(file: file)
            do throws(TLSContextError) {
                _ = try TLSContext(client: client)
            } catch {
                throw .configuration("http-ca: \(error)")
            }
        }
        return options
    }
}
