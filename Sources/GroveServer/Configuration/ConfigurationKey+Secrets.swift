import GroveEffects
import GroveEngine
import OrderedJSON

extension ConfigurationKey {
    /// Secrets of requests, and whom requests trust. The files are read at the start and at SIGHUP.
    static let secrets: [ConfigurationKey] = [
        ConfigurationKey(
            "secrets", .texts, default: [],
            reason: "Secrets that headers of the handler http may have, one text for each: its "
                + "name, the hosts that may get it over https, and the machines that may use it, "
                + "as in \"stripe hosts=api.stripe.com machines=order,refund\". The value is in a "
                + "file, never in the configuration.",
            isReloadable: true
        ) { (configuration, value) throws(ConfigurationError) in
            do throws(SecretProblem) {
                configuration.options.http.secretGrants = try SecretGrant.read(
                    value.checkedTexts
                ) { name in Array(name.utf8).withUnsafeBytes { MachineName.isValid($0) } }
            } catch {
                throw ConfigurationError(error.description)
            }
        },
        ConfigurationKey(
            "secrets-dir", .text, default: "",
            reason: "The folder with the values of secrets: in each file the value of the secret "
                + "with the file's name. A file that users outside its group can read is refused, "
                + "and a folder where every user can put files. Empty means the folder that "
                + "systemd names in CREDENTIALS_DIRECTORY, if it does.",
            isReloadable: true
        ) { $0.options.http.secretsFolder = $1.checkedText.isEmpty ? nil : $1.checkedText },
        ConfigurationKey(
            "http-ca", .text, default: "",
            reason: "A PEM file with the authorities that the handler http trusts, instead of "
                + "those that the system trusts. Empty means the system's.",
            isReloadable: true
        ) { $0.options.http.trustRootsFile = $1.checkedText.isEmpty ? nil : $1.checkedText },
    ]
}
