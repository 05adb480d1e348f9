/// The statecharts of the simulation: timers, parallel regions, children, a handler and deferred
/// events, in two versions with other names.
enum Account {
    /// The first version.
    static let first = #"""
        {"id":"account","version":"1","initial":"p",
        "context":{"n":0,"ticks":0,"kids":0,"calls":0,"passed":0},"states":{
        "p":{"type":"parallel","on":{"ADD":{"assign":{"n":"context.n + event.by"}}},"states":{
        "clock":{"initial":"tick","states":{
        "tick":{"after":{"1s":{"target":"tock","assign":{"ticks":"context.ticks + 1"}}}},
        "tock":{"after":{"2s":{"target":"tick","assign":{"ticks":"context.ticks + 1"}}}}}},
        "work":{"initial":"idle","states":{"idle":{"on":{"KID":"busy"}},
        "busy":{"invoke":{"id":"k","src":"machine:kid","input":{"n":"1"},"onDone":{"target":"idle",
        "assign":{"kids":"context.kids + event.output.n"}}}}}},
        "desk":{"initial":"calm","states":{"calm":{"on":{"CALL":"asking"}},
        "asking":{"invoke":{"id":"c","src":"desk","onDone":{"target":"calm",
        "assign":{"calls":"context.calls + 1"}}}}}},
        "gate":{"initial":"shut","states":{"shut":{"defer":["PASS"],"on":{"OPEN":"wide"}},
        "wide":{"on":{"PASS":{"assign":{"passed":"context.passed + 1"}}},
        "after":{"3s":"shut"}}}}}}}}
        """#

    /// The second version: states and a member of the context have other names.
    static let second =
        first
        .replacing(#""n":0,"ticks""#, with: #""total":0,"ticks""#)
        .replacing(
            #""n":"context.n + event.by""#, with: #""total":"context.total + event.by""#
        )
        .replacing(#""tick""#, with: #""on-the-hour""#)
        .replacing("asking", with: "waiting")
        .replacing(#""version":"1""#, with: version)

    private static let version = #"""
        "version":"2","migrates":{"states":{"tick":"on-the-hour","asking":"waiting"},
        "context":{"total":"context.n"}}
        """#

    /// The child of both.
    static let kid = #"""
        {"id":"kid","version":"1","initial":"w","context":{"n":0},"states":{
        "w":{"after":{"500ms":"d"}},"d":{"type":"final","output":{"n":"context.n"}}}}
        """#
}
