import Testing

@testable import Statecharts

/// Actions (SCXML section 4) and values in expression and literal positions.
struct ActionTests {
    /// Runs actions at the entry of a state.
    private func entry(
        _ actions: String, context: String = "{}", errors: String = "fail"
    ) throws -> Trial {
        try Trial(
            #"""
            {"errors":"\#(errors)","initial":"a","context":\#(context),
             "states":{"a":{"entry":\#(actions)}}}
            """#)
    }

    // MARK: Values

    @Test func `in an expression position a string is CEL, and objects and lists are templates`()
        throws
    {
        let trial = try entry(
            #"{"assign":{"v":{"a":"1 + 1","b":["'x'",true,null,2.5,{"c":"context.n"}]}}}"#,
            context: #"{"n":3,"v":null}"#)
        #expect(trial.context == #"{"n":3,"v":{"a":2,"b":["x",true,null,2.5,{"c":3}]}}"#)
    }

    @Test func `in a literal position a string is itself, and expr computes it`() throws {
        let trial = try entry(
            #"[{"raise":{"type":{"expr":"'ev' + 'ent'"}}}]"#,
            context: #"{"s":"1 + 1","list":["a",{"expr":"1"}],"e":{"expr":"1 + 1"}}"#)
        #expect(trial.context == #"{"s":"1 + 1","list":["a",{"expr":"1"}],"e":2}"#)
    }

    @Test func `the context is filled in member order, and later members see earlier ones`() throws
    {
        let trial = try entry(
            "[]", context: #"{"total":0,"name":"bob","both":{"expr":"context.name + '!'"}}"#)
        #expect(trial.context == #"{"total":0,"name":"bob","both":"bob!"}"#)
    }

    @Test func `values are kept as JSON says them`() throws {
        let trial = try entry(
            #"""
            {"assign":{"a":"duration('90s')","b":"b'abc'","c":"7u","d":"{1: 2}",
            "e":"optional.of(1)",
             "f":"timestamp('2024-01-01T00:00:00Z')"}}
            """#, context: #"{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0}"#)
        #expect(
            trial.context
                == #"{"a":"90s","b":"YWJj","c":7,"d":{"1":2},"e":1,"f":"2024-01-01T00:00:00Z"}"#)
    }

    @Test(arguments: ["1.0 / 0.0", "9007199254740992", "18446744073709551615u"])
    func `a number that JSON can't say exactly fails`(expression: String) throws {
        let trial = try entry(
            #"{"assign":{"n":"[\#(expression)].filter(x, context.n == 0)"}}"#,
            context: #"{"n":0}"#)
        #expect(trial.failures.first?.code == .evalError)
    }

    // MARK: assign

    @Test func `the members of one assign see the context before it; a list is a sequence`() throws
    {
        let swap = #"{"assign":{"a":"context.b","b":"context.a"}}"#
        #expect(try entry(swap, context: #"{"a":1,"b":2}"#).context == #"{"a":2,"b":1}"#)
        let sequence = #"[{"assign":{"a":"context.b"}},{"assign":{"b":"context.a"}}]"#
        #expect(try entry(sequence, context: #"{"a":1,"b":2}"#).context == #"{"a":2,"b":2}"#)
    }

    @Test func `words of a transition are a list in member order`() throws {
        var trial = try Trial(
            #"""
            {"initial":"a","context":{"n":0},"states":{"a":{"on":{"E":{
              "log":"context.n","assign":{"n":"5"},"emit":{"type":"out","n":"context.n"},
              "actions":[{"assign":{"n":"6"}}],"raise":"F"},"F":{"log":"context.n"}}}}}
            """#)
        try trial.send("E")
        #expect(trial.log == ["0", "6"])
        #expect(trial.outputs == [#"{"type":"out","n":5}"#])
    }

    @Test func `a location is a path, whose last part may be new`() throws {
        let trial = try entry(
            #"{"assign":{"cart.items[0].sku":"'x'","cart.new":"1","cart.items[1]":"2"}}"#,
            context: #"{"cart":{"items":[{"sku":"a","n":1}]}}"#)
        #expect(trial.context == #"{"cart":{"items":[{"sku":"x","n":1},2],"new":1}}"#)
    }

    @Test(arguments: ["cart.a.b", "cart.items[5]", "n.x", "n[0]", "cart[0]"])
    func `a place that isn't there fails, and nothing is assigned`(location: String) throws {
        let trial = try entry(
            #"{"assign":{"n":"1","\#(location)":"2"}}"#,
            context: #"{"n":0,"cart":{"items":[]}}"#, errors: "scxml")
        #expect(trial.context == #"{"n":0,"cart":{"items":[]}}"#)
    }

    @Test(arguments: ["self.id", "event", "meta.kind", "now", "rand", "other", ""])
    func `what isn't declared, and the other variables, are never assignable`(
        location: String
    ) throws {
        let trial = try Trial(
            #"""
            {"errors":"scxml","initial":"a","context":{"n":0},"states":{"a":{
              "entry":[{"assign":{"\#(location)":"1"}},{"log":"'not reached'"}],
              "on":{"error.execution":"b"}},"b":{}}}
            """#)
        #expect(trial.active == "b")
        #expect(trial.log.isEmpty)
    }

    // MARK: choose and foreach

    @Test(arguments: [(0, "zero"), (5, "busy"), (1, "else")])
    func `choose takes the first branch whose guard is true`(n: Int, expected: String) throws {
        let trial = try entry(
            #"""
            {"choose":[{"guard":"context.n == 0","actions":[{"log":"'zero'"}]},
             {"guard":"in('a') && context.n > 2","actions":{"log":"'busy'"}},
             {"actions":[{"log":"'else'"}]}]}
            """#, context: #"{"n":\#(n)}"#)
        #expect(trial.log == ["\"\(expected)\""])
    }

    @Test func `foreach walks the list as it was, and its members stay`() throws {
        let trial = try entry(
            #"""
            {"foreach":{"in":"context.list","item":"x","index":"i","actions":[
              {"assign":{"list":"context.list + [context.x * 10]"}}]}}
            """#, context: #"{"list":[1,2]}"#)
        #expect(trial.context == #"{"list":[1,2,10,20],"x":2,"i":1}"#)
    }

    @Test func `an error within foreach or choose ends the block around it`() throws {
        let trial = try entry(
            #"""
            [{"foreach":{"in":"[1,0,2]","item":"x","actions":[
               {"log":"10 / context.x"}]}},{"log":"'after'"}]
            """#, errors: "scxml")
        #expect(trial.log == ["10"])
        let none = try entry(
            #"[{"foreach":{"in":"5","item":"x","actions":[]}},{"log":"'after'"}]"#, errors: "scxml")
        #expect(none.log.isEmpty)
    }

    // MARK: log, emit, blocks

    @Test func `log has a label and a value`() throws {
        let trial = try entry(#"[{"log":{"label":"n","value":"1 + 1"}},{"log":["'a'"]}]"#)
        #expect(trial.log == ["n=2", #"["a"]"#])
    }

    @Test func `an error ends its own block only`() throws {
        let trial = try entry(
            #"[[{"log":"1"},{"log":"1 / context.z"},{"log":"2"}],[{"log":"3"}]]"#,
            context: #"{"z":0}"#, errors: "scxml")
        #expect(trial.log == ["1", "3"])
    }

    @Test func `an output is its type with members`() throws {
        let trial = try entry(#"[{"emit":"plain"},{"emit":{"type":"full","n":"2"}}]"#)
        #expect(trial.outputs == [#"{"type":"plain"}"#, #"{"type":"full","n":2}"#])
    }
}
