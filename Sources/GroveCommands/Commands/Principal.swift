import ArgumentParser

struct Principal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, create, change and revoke principals: who may do what.",
        discussion: """
            A principal is a name with identities, grants and quotas. Tokens are identities too: \
            see 'grove token'. On a server without a principal, everybody who can connect may do \
            everything. With the first one this ends.

              grove principal create shop --grant 'send(place,pay) order/*'
              grove principal grant shop 'read order/*'
              grove principal list
            """,
        subcommands: [
            PrincipalList.self, PrincipalShow.self, PrincipalCreate.self, PrincipalGrant.self,
            PrincipalUngrant.self, PrincipalIdentify.self, PrincipalUnidentify.self,
            PrincipalQuota.self, PrincipalRevoke.self,
        ])

    /// What stands on the pages of help about grants.
    static let grantHelp = """
        A grant is VERBS MACHINE/INSTANCE, with * and ? in names: verbs are send, read, \
        subscribe, manage, define and admin; send(TYPE,…) is for events of some types; \
        {principal} stands for the name itself.
        """

    /// What stands on the pages of help about identities.
    static let identityHelp = """
        An identity is uid:N or gid:N of a Unix socket's client, or a name of a certificate: \
        cert:uri:…, cert:dns:…, cert:email:…, cert:spki:sha256/… or cert:subject:….
        """

    /// What stands on the pages of help about quotas.
    static let quotaHelp = """
        Quotas are connections, subscriptions, requests, events_per_s and bytes_per_s; the value \
        'standard' takes a quota back.
        """
}

extension ArgumentHelp {
    static var principal: ArgumentHelp { "The principal's name." }
    static var grants: ArgumentHelp {
        ArgumentHelp("A grant; may be given again.", valueName: "grant")
    }
}
