/** The fields of calls, their errors and their bounds. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, connect } from '../grove.js'
import { code, fast, play } from './servers.mjs'

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

test('fields that the client itself sets are refused', async () => {
  const c = new Client('127.0.0.1:1', fast)
  for (const fields of [{ id: 1 }, { op: 'get' }]) await assert.rejects(c.request('ping', fields), code('INVALID_REQUEST'))
  c.close()
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

test('what no server could read is refused', async () => {
  const c = new Client('127.0.0.1:1', fast)
  const nested = depth => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
  for (const event of [nested(64), Array(100_000).fill(0), nested(5000)]) {
    await assert.rejects(c.send('c/a', event), code('INVALID_REQUEST'))
  }
  const held = [
    c.send('c/a', { type: 'a', text: '['.repeat(1000) + ','.repeat(200_000), nested: nested(61) }),
    c.send('c/a', { type: 'a', text: '"[\\'.repeat(50_000), more: 'x'.repeat(3e7) }),
  ]
  c.close()
  for (const call of held) await assert.rejects(call, code('CLOSED'))
})

test('a time is a number', async () => {
  const c = new Client('127.0.0.1:1', fast)
  for (const time of ['10', NaN, -1, null, {}]) {
    await assert.rejects(c.get('c/a', { timeout: time }), code('INVALID_REQUEST'), String(time))
    await assert.rejects(c.connected({ timeout: time }), code('INVALID_REQUEST'), String(time))
    await assert.rejects(c.subscribe({ timeout: time }), code('INVALID_REQUEST'), String(time))
  }
  c.close()
})

test('a signal keeps no client that has nothing to abort', async () => {
  let listeners = 0
  const signal = new AbortController().signal
  const { addEventListener: add, removeEventListener: remove } = signal
  signal.addEventListener = (...all) => { listeners += 1; add.apply(signal, all) }
  signal.removeEventListener = (...all) => { listeners -= 1; remove.apply(signal, all) }
  const c = new Client('127.0.0.1:1', fast)
  const calls = [c.get('c/a', { signal }), c.get('c/b', { signal }), c.connected({ signal }), c.subscribe({ signal })]
  assert.equal(listeners, 1)
  c.close()
  for (const call of calls) await assert.rejects(call, code('CLOSED'))
  assert.equal(listeners, 0)
})

test('an error of a WebSocket without an end is one', async () => {
  class Failing {
    readyState = 0
    constructor() { setTimeout(() => this.onerror({}), 1) }
    close() {}
  }
  const c = new Client('ws://127.0.0.1:1', { ...fast, retry: false, connectTimeout: 60_000, WebSocket: Failing })
  await assert.rejects(c.get('c/a'), code('UNREACHABLE'))
  c.close()
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

test('addresses and options', () => {
  for (const text of ['127.0.0.1:7400', 'localhost', ':7400', '[::1]:7400', 'tcp://h:1', 'tls:h:1',
    'unix:/tmp/x', 'unix:///tmp/x', 'ws://h/v1/socket', 'https://h', new URL('http://h:1')]) {
    new Client(text)
  }
  for (const text of ['h:99999', 'h:x', 'tls:h', '::1', 'a b:1', 'unix:', undefined, {}]) {
    assert.throws(() => new Client(text), TypeError, text)
  }
  assert.throws(() => new Client('h', { tokn: 1 }), /no option tokn/)
  assert.throws(() => new Client('h', { order: 'other' }), /order/)
})
