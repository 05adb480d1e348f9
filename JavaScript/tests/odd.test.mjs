/** Odd arguments: each is refused by itself, and ends nothing else. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, connect } from '../grove.js'
import { code, fast, needsServer, play, RealServer } from './servers.mjs'

const loop = {}
loop.loop = loop
const NUMBERS = [NaN, Infinity, -Infinity, -1, -0, 0, 0.4, 1, 1.5, 3_600_001, 2 ** 31, 2 ** 53, 1e21, 1e308, 5e-324, 7n]
const TEXTS = ['', 'x', 'counter', 'counter/a', 'counter/', '/', 'done', 'own', 'tree', 'none', 'now', '10', '__proto__',
  '\ud800', '\udc00\ud800', '\\ud800', '\0', 'é\u2028\ufeff', '"', '{"op":1}\n{"id":7}', 'x'.repeat(300)]
const OTHERS = [undefined, null, true, false, [], {}, [[]], [undefined], Array(2), () => 1, Symbol('s'), loop,
  Object.create(null), new Date(NaN), new Map(), { toJSON: () => NaN }, { toJSON: () => undefined },
  { toJSON() { throw null } }, { throwIfAborted() {}, addEventListener() { throw new Error('no') }, removeEventListener() {} }, { get to() { throw new Error('no') } }, { last: 3 }, { after: 'x' }, { last: NaN }, { type: 'add', amount: 1 },
  JSON.parse('['.repeat(70) + ']'.repeat(70)), JSON.parse('{"__proto__":{"op":"x"},"toString":1}')]
const ODD = [...NUMBERS, ...TEXTS, ...OTHERS]
if (JSON.rawJSON) ODD.push(...['1e999', '1'.repeat(400), '"\\uD800"', '12345678901234567890'].map(JSON.rawJSON))

const OPTIONS = ['wait', 'timeout', 'signal', 'timeout_ms', 'settle', 'dedup', 'expect', 'reply', 'traceparent', 'op', 'id', 'jsonrpc',
  'toJSON', 'sub', 'in', 'at', 'after', 'limit', 'machine', 'instance', 'kind', 'type', 'from', 'snapshot', 'slow', 'credit', 'marks', 'other']

/** All methods that make a request, but for `auth`: a wrong token ends the connection. */
const METHODS = Object.getOwnPropertyNames(Client.prototype)
  .filter(name => !['constructor', 'close', 'hurry', 'key', 'refusal', 'instances', 'steps', 'auth'].includes(name))
/** Those with options of their own; the others get few. */
const RICH = new Set(['request', 'subscribe', 'send', 'await', 'batch'])
/** Arguments with which they work. */
const USUAL = {
  await: ['counter/a', 'done'], batch: [[{ to: 'counter/a', event: 'increment' }]], can: ['counter/a', 'increment'],
  connected: [], request: ['send', { to: 'counter/a', event: 'increment', settle: 'own' }], send: ['counter/a', 'increment'],
  retry: ['counter/a', 1], complete: ['t', 1], fail: ['t', 'no'], subscribe: [],
}

/** Lists of arguments: an odd one in each place, and in each option. */
function* argumentsOf(method) {
  const usual = USUAL[method] ?? (Client.prototype[method].length ? ['counter/a'] : [])
  const isRich = RICH.has(method)
  for (const value of isRich ? [...ODD, 'é'.repeat(700_000)] : ODD) {
    for (let place = 0; place <= usual.length; place += 1) {
      yield [...usual.slice(0, place), value, ...usual.slice(place + 1)]
    }
    for (const option of isRich ? OPTIONS : OPTIONS.slice(0, 4)) {
      // As the names of fields, and where the settings of a call are.
      const more = { [option]: value, ...option !== 'settle' && method === 'send' && { settle: 'own' } }
      yield [...usual, more]
      if (method === 'request') yield [usual[0], { ...usual[1], ...more }]
    }
  }
}

/** Calls all methods with odd arguments; a client that doesn't repeat loses what its connection loses. */
async function callAll(client) {
  await client.create('counter/witness')
  const witness = await client.subscribe({ machine: 'counter', instance: 'witness', credit: 1 })
  const under = client.await('counter/witness', 'done', { wait: 60_000 })
  under.catch(() => {})
  const changes = []
  client.addEventListener('status', () => changes.push(client.status, client.problem))
  let count = 0
  for (const method of METHODS) {
    for (const values of argumentsOf(method)) {
      try {
        Promise.resolve(client[method](...values)).then(result => result?.close?.(), () => {})
      } catch {
        // An argument that fails when it is read, which is the caller's.
      }
      count += 1
      if (count % 500 === 0) await client.ping()
    }
    await client.ping()
    assert.deepEqual(changes, [], method)
  }
  return { witness, under, count }
}

test('no argument ends a connection', needsServer, async t => {
  const server = await RealServer.start()
  t.after(() => server.remove())
  const client = await connect(server.address, { retry: false, timeout: 60_000 })
  t.after(() => client.close())
  const { witness, under, count } = await callAll(client)
  t.diagnostic(`${count} calls`)
  const record = witness.next()
  await client.send('counter/witness', 'increment')
  assert.equal((await record).value.v, 1)
  await client.stop('counter/witness')
  assert.equal((await under).done, true)
})

test('a wait longer than a server takes is its longest, and what is no time is refused alone', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    const held = await connection.request('get')
    for (const op of ['await', 'await', 'await', 'send', 'send']) {
      const request = await connection.request(op)
      assert.equal(request.timeout_ms, 3_600_000)
      connection.reply(request)
    }
    connection.reply(held)
  })
  const c = client()
  const held = c.get('c/a')
  for (const time of [NaN, -1, '10', null, {}, 7n, Symbol('s'), -Infinity]) {
    await assert.rejects(c.await('c/a', 'done', { wait: time }), code('INVALID_REQUEST'), String(time))
    await assert.rejects(c.send('c/a', 'go', { settle: 'own', wait: time }), code('INVALID_REQUEST'), String(time))
    await assert.rejects(c.await('c/a', 'done', { timeout_ms: time }), code('INVALID_REQUEST'), String(time))
  }
  for (const wait of [Infinity, 3_600_001]) await c.await('c/a', 'done', { wait })
  await c.request('await', { to: 'c/a', until: 'done', timeout_ms: Infinity })
  for (const wait of [Infinity, 1e300]) await c.send('c/a', 'go', { settle: 'tree', wait })
  await held
  c.close()
  await server.finish()
})

test('a refused subscription leaves nothing that a later connection meets', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet({ max_line: 500 })
    connection.reply(await connection.request('ping'))
  }, async connection => {
    await connection.greet()
    const request = await connection.request('subscribe')
    assert.deepEqual([request.sub, request.traceparent], ['s1', '00-1-2-01'])
    connection.reply(request, { cur: 'p' })
    connection.reply(await connection.request('ping'))
    await connection.closed()
  })
  const c = client()
  for (const credit of ['x', NaN, 0, -1, 1.5, null, Infinity, 2 ** 53, {}]) {
    await assert.rejects(c.subscribe({ credit }), code('INVALID_REQUEST'), String(credit))
  }
  const wrong = [{ machin: 'c' }, { wait: 1 }, { from: () => 1 }, { machine: Symbol('s') }, { type: { toJSON() {} } }, { signal: 1 }]
  for (const options of wrong) await assert.rejects(c.subscribe(options), code('INVALID_REQUEST'), Object.keys(options)[0])
  await c.ping()
  // The server would end the connection at a line that is too long.
  await assert.rejects(c.subscribe({ machine: 'x'.repeat(500) }), code('INVALID_REQUEST'))
  await new Promise(resolve => c.addEventListener('status', resolve, { once: true }))
  // The names of those that were refused are never sent.
  const d = client()
  await d.subscribe({ credit: undefined, traceparent: '00-1-2-01' })
  await d.ping()
  for (const each of [c, d]) each.close()
  await server.finish()
})

test('a subscription that this server can\'t read ends alone at a later connection', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    const request = await connection.request('subscribe')
    connection.reply(request, { cur: 'p' })
  }, async connection => {
    await connection.greet({ max_line: 400 })
    connection.reply(await connection.request('ping'))
    await connection.closed()
  })
  const c = client()
  const subscription = await c.subscribe({ machine: 'x'.repeat(500) })
  await assert.rejects(subscription.next(), code('INVALID_REQUEST'))
  await c.ping()
  c.close()
  await server.finish()
})

test('options of a client are what they are for', () => {
  const wrong = {
    name: [5, null, '\ud800', 'x'.repeat(1001)], token: [5, null, '\ud800', 'x'.repeat(4097)],
    timeout: ['abc', NaN, -1, null, {}], connectTimeout: ['1', NaN, -1], firstDelay: ['1', NaN], delayMax: [null, -1],
    retry: [1, 'no'], makeKeys: [0], order: ['other', null], jitter: [2, -1, NaN, '0'], callsMax: ['x', 0, NaN],
    bytesMax: ['x', -1], lineMax: ['x', NaN], credit: ['x', 0, 1.5, NaN, Infinity, 2 ** 53], tls: ['x'], WebSocket: [{}],
  }
  for (const [option, values] of Object.entries(wrong)) {
    for (const value of values) {
      assert.throws(() => new Client('h', { [option]: value }), error => error instanceof TypeError && error.message.includes(option),
        `${option} ${String(value).slice(0, 20)}`)
    }
  }
  for (const option of ['constructor', '__proto__x', 'toString']) assert.throws(() => new Client('h', { [option]: 1 }), TypeError)
  new Client('h', { ...fast, timeout: Infinity, connectTimeout: Infinity, callsMax: Infinity, jitter: 0, credit: 1, token: undefined })
})

test('a token that is no text is refused, and no connection begins with it', async () => {
  const { server, client } = await play(async connection => {
    const hello = await connection.greet()
    assert.equal(hello.token, undefined)
    connection.reply(await connection.request('ping'))
  })
  const c = client()
  for (const token of [5, undefined, null, {}, 'x'.repeat(5000)]) {
    await assert.rejects(c.auth(token), code('INVALID_REQUEST'), String(token).slice(0, 20))
  }
  await c.ping()
  c.close()
  await server.finish()
})
