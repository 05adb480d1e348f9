import ArgumentParser
import GroveAccess
import GroveClient
import GroveEngine

/// The flags of commands that change accounts.
struct ChangeFlags: ParsableArguments {
    @Flag(help: "Only show what would change.") var dryRun = false
    @Flag(help: "Also if nobody is left who may administer the server, but its owner.")
    var force = false

    var mode: AccountsMode { AccountsMode(force: force, isTrial: dryRun) }
}
