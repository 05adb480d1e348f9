/** The lines that the client sends to a server that plays a script. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, connect, GroveError } from '../grove.js'
import { playScripts } from './servers.mjs'

const fast = { firstDelay: 1, delayMax: 5, timeout: 30_000 }

async function play(...scripts) {
  const server = await playScripts(...scripts)
  return { server, client: options => new Client(server.address, { ...fast, ...options }) }
}

const code = name => error => error instanceof GroveError && error.code === name

test('every op has its fields', async () => {
  const seen = []
  const { server, client } = await play(async connection => {
    await connection.greet()
    for (let count = 0; count < 22; count += 1) {
      const { id, ...request } = await connection.line()
      connection.reply({ id })
      seen.push(request)
    }
  })
  const c = client({ makeKeys: false })
  await c.send('c/a', 'go', { dedup: 'k', expect: 3, create: 'never', reply: 'full' })
  await c.send('c/a', { type: 'go' }, { settle: 'own', wait: 1500 })
  await c.batch([{ to: 'c/a', event: 'go' }], { atomic: true })
  await c.create('c/a', { input: { n: 1 } })
  await c.get('c/a', { at: 0, in: true })
  await c.can('c/a', 'go')
  await c.list({ machine: 'c', prefix: 'p', done: false, limit: 3 })
  await c.history('c/a', { after: 1 })
  await c.effects({ phase: 'failed' })
  await c.cancel('c/a', { timer: 't' })
  await c.retry('c/a', 4)
  await c.complete('t', null)
  await c.fail('t', 'no')
  await c.await('c/a', 'paid', { wait: 2000 })
  await c.stop('c/a', { reason: 'r' })
  await c.delete('c/a')
  await c.import('c/a', { v: 3, state: 1 })
  await c.definitions()
  await c.describe('c', { format: 'dot' })
  await c.suspend({ machine: 'c' })
  await c.stats()
  await c.request('accounts', { action: 'list' })
  assert.deepEqual(seen, [
    { op: 'send', dedup: 'k', expect: 3, create: 'never', reply: 'full', to: 'c/a', event: 'go' },
    { op: 'send', settle: 'own', to: 'c/a', event: { type: 'go' }, timeout_ms: 1500 },
    { op: 'batch', atomic: true, items: [{ to: 'c/a', event: 'go' }] },
    { op: 'create', input: { n: 1 }, to: 'c/a' },
    { op: 'get', at: 0, in: true, to: 'c/a' },
    { op: 'can', to: 'c/a', event: 'go' },
    { op: 'list', machine: 'c', prefix: 'p', done: false, limit: 3 },
    { op: 'history', after: 1, to: 'c/a' },
    { op: 'effects', phase: 'failed' },
    { op: 'cancel', timer: 't', to: 'c/a' },
    { op: 'retry', to: 'c/a', effect: 4 },
    { op: 'complete', token: 't', result: null },
    { op: 'complete', token: 't', error: 'no' },
    { op: 'await', to: 'c/a', until: 'paid', timeout_ms: 2000 },
    { op: 'stop', reason: 'r', to: 'c/a' },
    { op: 'delete', to: 'c/a' },
    { op: 'import', v: 3, state: 1, to: 'c/a' },
    { op: 'definitions' },
    { op: 'describe', format: 'dot', name: 'c' },
    { op: 'suspend', machine: 'c' },
    { op: 'stats' },
    { op: 'accounts', action: 'list' },
  ])
  c.close()
  await server.finish()
})

test('unanswered calls are sent again in order with their keys', async () => {
  const keys = []
  const { server, client } = await play(async connection => {
    await connection.greet()
    for (let n = 0; n < 6; n += 1) keys.push((await connection.request('send')).dedup)
  }, async connection => {
    await connection.greet()
    for (let n = 0; n < 9; n += 1) {
      const send = await connection.request('send')
      assert.equal(send.event, `e${n}`)
      if (n < 6) assert.equal(send.dedup, keys[n])
      connection.reply(send, { v: n })
    }
  })
  const c = client()
  const replies = await Promise.all(Array.from({ length: 9 }, (_, n) => c.send(`c/${n % 2}`, `e${n}`)))
  assert.deepEqual(replies.map(reply => reply.v), [0, 1, 2, 3, 4, 5, 6, 7, 8])
  assert.equal(new Set(keys).size, 6)
  c.close()
  await server.finish()
})

test('a writing call without a key is not sent twice', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    await connection.request('stop')
  }, async connection => {
    await connection.greet()
    connection.reply(await connection.request('ping'))
  })
  const c = client()
  await assert.rejects(c.stop('c/a'), error => error.code === 'CONNECTION_LOST' && error.outcomeUnknown)
  await c.ping()
  c.close()
  await server.finish()
})

test('a batch is repeated when all its items have keys, and the caller\'s values stay', async () => {
  let first
  const { server, client } = await play(async connection => {
    await connection.greet()
    first = await connection.request('batch')
  }, async connection => {
    await connection.greet()
    const second = await connection.request('batch')
    assert.deepEqual(second.items, first.items)
    connection.reply(second, { results: [] })
  })
  const c = client()
  const event = { type: 'add', amount: 1 }
  const items = [{ to: 'c/a', event }, { to: 'c/b', event, dedup: 'mine' }]
  const reply = c.batch(items)
  event.amount = 2
  await reply
  assert.deepEqual(items, [{ to: 'c/a', event }, { to: 'c/b', event, dedup: 'mine' }])
  assert.equal(first.items[0].event.amount, 1)
  assert.equal(first.items[1].dedup, 'mine')
  c.close()
  await server.finish()
})

test('a value that is no JSON is refused and not changed', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    const send = await connection.request('send')
    assert.deepEqual(send.event, { type: 'ok', text: 'é\ud83d\ude00\\ud800', nothing: null })
    connection.reply(send)
  })
  const c = client()
  const loop = {}
  loop.loop = loop
  for (const event of [NaN, { n: [Infinity] }, 1n, loop, 'half \ud83d', { 'key \udc00': 1 }]) {
    await assert.rejects(c.send('c/a', event), code('INVALID_REQUEST'))
  }
  await assert.rejects(c.batch('no'), code('INVALID_REQUEST'))
  await assert.rejects(c.batch([1]), code('INVALID_REQUEST'))
  await assert.rejects(c.request('subscribe'), code('INVALID_REQUEST'))
  await c.send('c/a', { type: 'ok', text: 'é\ud83d\ude00\\ud800', nothing: null })
  c.close()
  await server.finish()
})

test('a postponed call delays only its instance', async () => {
  const order = []
  const { server, client } = await play(async connection => {
    await connection.greet()
    const [a1, a2, b1] = [await connection.line(), await connection.line(), await connection.line()]
    connection.refuse(a1, 'OVERLOADED')
    connection.reply(b1)
    const b2 = await connection.request('send')
    assert.equal(b2.event, 'b2')
    connection.reply(b2)
    connection.reply(a2)
    const again = await connection.request('send')
    assert.deepEqual([again.event, again.dedup], ['a1', a1.dedup])
    connection.reply(again)
    const a3 = await connection.request('send')
    assert.equal(a3.event, 'a3')
    connection.reply(a3)
  })
  const c = client()
  const send = (to, event) => c.send(to, event).then(() => order.push(event))
  const first = [send('c/a', 'a1'), send('c/a', 'a2')]
  await send('c/b', 'b1')
  const third = send('c/a', 'a3')
  await send('c/b', 'b2')
  await Promise.all([...first, third])
  assert.deepEqual(order, ['b1', 'b2', 'a2', 'a1', 'a3'])
  c.close()
  await server.finish()
})

test('which refusals are repeated', async () => {
  const rows = [
    ['OVERLOADED', 'stop', true], ['SUSPENDED', 'send', true], ['RATE_LIMITED', 'get', true],
    ['STORAGE_ERROR', 'send', true], ['STORAGE_ERROR', 'get', false], ['UNAVAILABLE', 'send', true],
    ['UNAVAILABLE', 'stop', false], ['TIMEOUT', 'await', false], ['EVENT_REJECTED', 'send', false, false],
  ]
  for (const [name, op, isRepeated, retry = true] of rows) {
    const { server, client } = await play(async connection => {
      await connection.greet()
      connection.refuse(await connection.request(op), name, { retry })
      if (isRepeated) connection.reply(await connection.request(op), { v: 1 })
    })
    const c = client()
    const call = op === 'send' ? c.send('c/a', 'go') : c[op]('c/a')
    if (isRepeated) assert.equal((await call).v, 1, name)
    else await assert.rejects(call, code(name))
    c.close()
    await server.finish()
  }
})

test('errors have all members of the server\'s', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.refuse(await connection.line(), 'VERSION_CONFLICT', { retry: false, data: { v: 45 } })
  })
  const c = client()
  await assert.rejects(c.send('c/a', 'go', { expect: 44 }), error => {
    assert.deepEqual([error.code, error.retry, error.data, error.message, error.isRefusal],
      ['VERSION_CONFLICT', false, { v: 45 }, 'no', true])
    return error.outcomeUnknown === false
  })
  c.close()
  await server.finish()
})

test('one by one, the next call waits for the answer before', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    const [a1, b1] = [await connection.line(), await connection.line()]
    assert.deepEqual([a1.event, b1.event], ['a1', 'b1'])
    connection.refuse(a1, 'OVERLOADED')
    connection.reply(b1)
    for (const event of ['a1', 'a2']) {
      const send = await connection.line()
      assert.equal(send.event, event)
      connection.reply(send)
    }
  })
  const c = client({ order: 'one-by-one' })
  await Promise.all([c.send('c/a', 'a1'), c.send('c/a', 'a2'), c.send('c/b', 'b1')])
  c.close()
  await server.finish()
})

test('a draining server gets no more calls', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    const first = await connection.line()
    connection.write({ op: 'draining', deadline_ms: 1000 })
    connection.refuse(await connection.line(), 'DRAINING')
    connection.reply(first)
  }, async connection => {
    await connection.greet()
    for (const event of ['e2', 'e3']) {
      const send = await connection.line()
      assert.equal(send.event, event)
      connection.reply(send)
    }
  })
  const c = client()
  const calls = [c.send('c/a', 'e1'), c.send('c/a', 'e2')]
  await calls[0]
  calls.push(c.send('c/a', 'e3'))
  await Promise.all(calls)
  c.close()
  await server.finish()
})

test('a call times out with the reason', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    await connection.closed()
  })
  const c = client({ timeout: 40 })
  await assert.rejects(c.send('c/a', 'go'), code('NO_REPLY'))
  c.close()
  await server.finish()
  const unheard = new Client('127.0.0.1:1', { ...fast, timeout: 40 })
  await assert.rejects(unheard.ping(), code('UNREACHABLE'))
  await assert.rejects(connect('127.0.0.1:1', { ...fast, timeout: 40 }), code('UNREACHABLE'))
})

test('without retries nothing is repeated and no key is made', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    const send = await connection.request('send')
    assert.equal(send.dedup, undefined)
    connection.refuse(send, 'OVERLOADED')
    await connection.request('get')
  })
  const c = client({ retry: false })
  await assert.rejects(c.send('c/a', 'go'), code('OVERLOADED'))
  await assert.rejects(c.get('c/a'), code('CONNECTION_LOST'))
  c.close()
  await server.finish()
})

test('bounds', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet({ max_line: 100 })
    await connection.closed()
  })
  const c = client({ callsMax: 2 })
  const first = c.ping()
  await assert.rejects(c.send('c/a', 'é'.repeat(60)), code('INVALID_REQUEST'))
  const second = c.ping()
  await assert.rejects(c.ping(), code('QUEUE_FULL'))
  c.close()
  await assert.rejects(first, code('CLOSED'))
  await assert.rejects(second, code('CLOSED'))
  await assert.rejects(c.ping(), code('CLOSED'))
  await assert.rejects(c.subscribe(), code('CLOSED'))
  assert.equal(c.status, 'closed')
  await server.finish()
})

test('an aborted call is not sent again, and its successor is sent', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    await connection.request('get')
    abort.abort(new Error('enough'))
    connection.reply(await connection.request('ping'))
  }, async connection => {
    await connection.greet()
    const ping = await connection.request('ping')
    connection.reply(ping)
  })
  const abort = new AbortController()
  const c = client({ order: 'one-by-one' })
  const call = c.get('c/a', { signal: abort.signal })
  const held = c.get('c/a', { signal: abort.signal })
  await assert.rejects(call, /enough/)
  await assert.rejects(held, /enough/)
  await assert.rejects(c.get('c/a', { signal: abort.signal }), /enough/)
  await c.ping()
  await new Promise(resolve => c.addEventListener('status', resolve, { once: true }))
  await c.ping()
  c.close()
  await server.finish()
})

test('heartbeats are answered, and a silent server is left', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.write({ op: 'ping', t: 1 })
    await connection.request('get')
    assert.deepEqual(await connection.line(), { op: 'ping' })
  }, async connection => {
    await connection.greet({ heartbeat_ms: 20 })
    await connection.closed()
  }, async connection => {
    await connection.greet()
    connection.reply(await connection.request('get'), { v: 7 })
  })
  const c = client()
  await c.connected()
  assert.equal((await c.get('c/a')).v, 7)
  c.close()
  await server.finish()
})

test('a peer that is no server is refused', async () => {
  for (const line of ['SSH-2.0-x', '[]', '{"op":"hello","proto":[2]}', '{"id":null}']) {
    const { server, client } = await play(async connection => {
      connection.write(line)
      await connection.closed()
    })
    const c = client()
    await assert.rejects(c.connected(), code('PROTOCOL_VIOLATION'))
    c.close()
    await server.finish()
  }
  const { server, client } = await play(async connection => {
    connection.write({ error: { code: 'OVERLOADED', message: 'full', retry: true } })
  }, async connection => {
    await connection.greet()
    connection.reply(await connection.request('ping'))
  })
  const c = client()
  await c.ping()
  c.close()
  await server.finish()
})

test('a token is shown before anything else, and a refused one is not tried again', async () => {
  const { server, client } = await play(async connection => {
    connection.write({ op: 'hello', proto: [1], auth_required: true })
    const hello = await connection.request('hello')
    assert.equal(hello.token, 'grove_a')
    connection.reply(hello, { principal: 'shop' })
    connection.reply(await connection.request('ping'))
    const auth = await connection.request('auth')
    connection.reply(auth, { principal: 'shop' })
    connection.socket.end()
  }, async connection => {
    connection.write({ op: 'hello', proto: [1], auth_required: true })
    const hello = await connection.request('hello')
    assert.equal(hello.token, 'grove_b')
    connection.refuse(hello, 'UNAUTHENTICATED', { retry: false })
    await connection.closed()
  })
  const c = client({ token: 'grove_a' })
  await c.ping()
  assert.equal(c.session.principal, 'shop')
  await c.auth('grove_b')
  await new Promise(resolve => c.addEventListener('status', resolve, { once: true }))
  await assert.rejects(c.ping(), code('UNAUTHENTICATED'))
  c.close()
  await server.finish()
})

test('a token goes only to this machine or through TLS', async () => {
  const c = new Client('example.invalid:7400', { ...fast })
  await assert.rejects(c.auth('grove_x'), code('TOKEN_NEEDS_TLS'))
  c.close()
})

const record = (sub, cur, more = {}) => ({ sub, cur, to: 'c/a', v: 1, kind: 'output', data: cur, ...more })

test('a subscription resumes after the last record', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    const request = await connection.request('subscribe')
    assert.deepEqual(request.select, { machine: 'c', kind: ['output'] })
    assert.deepEqual([request.from, request.credit], ['now', 4])
    connection.reply(request, { sub: request.sub, cur: 'p0' })
  }, async connection => {
    await connection.greet()
    const request = await connection.request('subscribe')
    assert.deepEqual(request.from, { after: 'p0' })
    connection.reply(request, { sub: request.sub, cur: 'p0' })
    for (const cur of ['p1', 'p2']) connection.write(record(request.sub, cur))
    assert.deepEqual(await connection.request('credit'), { op: 'credit', sub: request.sub, n: 2 })
    connection.write({ sub: request.sub, cur: 'p9', mark: 'checkpoint' })
  }, async connection => {
    await connection.greet()
    const request = await connection.request('subscribe')
    assert.deepEqual(request.from, { after: 'p9' })
    connection.reply(request, { sub: request.sub, cur: 'p9' })
    connection.write({ sub: request.sub, cur: 'p10', mark: 'gap', from: 'p9', to: 'p10', reason: 'retention' })
    connection.write(record(request.sub, 'p11'))
    await connection.request('unsubscribe')
  })
  const c = client()
  const subscription = await c.subscribe({ machine: 'c', kind: ['output'], credit: 4 })
  const seen = []
  await assert.rejects(async () => {
    for (;;) seen.push((await subscription.next()).value.data)
  }, code('GAP'))
  for await (const { data } of subscription) {
    seen.push(data)
    break
  }
  assert.deepEqual(seen, ['p1', 'p2', 'p11'])
  assert.equal(subscription.cursor, 'p11')
  assert.deepEqual(await subscription.next(), { done: true, value: undefined })
  await server.finish()
  c.close()
})

test('an interrupted snapshot starts again', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    const request = await connection.request('subscribe')
    assert.equal(request.snapshot, true)
    connection.reply(request, { sub: request.sub, cur: 'p5' })
    connection.write(record(request.sub, undefined, { kind: 'state', snapshot: true, after: 1 }))
    connection.write({ sub: request.sub, cur: 'p6', mark: 'gap', from: 'p5', to: 'p6', reason: 'retention' })
  }, async connection => {
    await connection.greet()
    const request = await connection.request('subscribe')
    assert.deepEqual([request.snapshot, request.from], [true, 'now'])
    connection.reply(request, { sub: request.sub, cur: 'p7' })
    connection.write(record(request.sub, undefined, { kind: 'state', snapshot: true, after: 2 }))
    connection.write({ sub: request.sub, cur: 'p7', mark: 'snapshot' })
    await connection.closed()
  })
  const c = client()
  const subscription = await c.subscribe({ snapshot: true, marks: true })
  const seen = []
  for await (const entry of subscription) {
    seen.push(entry.mark ?? entry.after)
    if (entry.mark === 'snapshot') break
  }
  assert.deepEqual(seen.slice(seen.indexOf('anew')), ['anew', 2, 'snapshot'])
  assert.equal(subscription.cursor, 'p7')
  c.close()
  await server.finish()
})

test('a refused subscription fails at once, and an aborted one ends', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.refuse(await connection.request('subscribe'), 'CURSOR_TOO_OLD', { retry: false })
    const second = await connection.request('subscribe')
    connection.reply(second, { sub: second.sub, cur: 'p' })
    await connection.request('unsubscribe')
  })
  const c = client()
  await assert.rejects(c.subscribe({ from: { after: 'x' } }), code('CURSOR_TOO_OLD'))
  const abort = new AbortController()
  const subscription = await c.subscribe({ signal: abort.signal })
  const next = subscription.next()
  abort.abort(new Error('enough'))
  await assert.rejects(next, /enough/)
  assert.deepEqual(await subscription.next(), { done: true, value: undefined })
  await server.finish()
  c.close()
})

test('thousands of aborted calls hold up nobody', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.reply(await connection.request('get'))
    const last = await connection.request('get')
    assert.equal(last.at, 1)
    connection.reply(last)
  })
  const c = client({ order: 'one-by-one' })
  const abort = new AbortController()
  const first = c.get('c/a', { at: 0 })
  const aborted = Array.from({ length: 5000 }, () => c.get('c/a', { signal: abort.signal }))
  const last = c.get('c/a', { at: 1 })
  const ends = Promise.allSettled(aborted)
  abort.abort()
  await Promise.all([first, last])
  assert.ok((await ends).every(end => end.reason.name === 'AbortError'))
  c.close()
  await server.finish()
})

test('addresses and options', () => {
  for (const text of ['127.0.0.1:7400', 'localhost', ':7400', '[::1]:7400', 'tcp://h:1', 'tls:h:1',
    'unix:/tmp/x', 'unix:///tmp/x', 'ws://h/v1/socket', 'https://h', new URL('http://h:1')]) {
    new Client(text)
  }
  for (const text of ['h:99999', 'h:x', 'tls:h', '::1', 'a b:1', 'unix:']) {
    assert.throws(() => new Client(text), TypeError, text)
  }
  assert.throws(() => new Client('h', { tokn: 1 }), /no option tokn/)
  assert.throws(() => new Client('h', { order: 'other' }), /order/)
})
