/** The client with the real server, which is killed and restarted meanwhile. */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { Client, connect } from '../grove.js'
import { needsServer, RealServer, TestWebSocket } from './servers.mjs'

const fast = { firstDelay: 5, delayMax: 50, timeout: 120_000, WebSocket: TestWebSocket }

/** A server and clients that go with the test. */
async function start(t) {
  const server = await RealServer.start()
  const clients = []
  t.after(async () => {
    for (const client of clients) client.close()
    await server.remove()
  })
  return { server, use: client => (clients.push(client), client) }
}

const code = name => error => error.code === name

test('ops of the protocol', needsServer, async t => {
  const { server, use } = await start(t)
  const c = use(await connect(server.address, fast))
  const placed = await c.send('order/o-1', { type: 'place', total: 30 }, { reply: 'full' })
  assert.equal(placed.state.status, 'placed')
  await assert.rejects(c.send('order/o-1', { type: 'pay', amount: 1 }, { expect: 7 }),
    error => error.code === 'VERSION_CONFLICT' && error.data.v === 1)
  await c.create('turnstile/gate')
  await assert.rejects(c.send('turnstile/gate', 'PUSH'), code('EVENT_REJECTED'))
  assert.equal((await c.create('counter/a', { dedup: 'k' })).v, 0)
  assert.equal((await c.create('counter/a', { dedup: 'k' })).dup, true)
  await assert.rejects(c.create('counter/a'), code('ALREADY_EXISTS'))
  await Promise.all(Array.from({ length: 25 }, () => c.send('counter/a', 'increment')))
  assert.deepEqual((await c.get('counter/a')).state, { count: 25 })
  const steps = []
  for await (const step of c.steps('counter/a', { limit: 10 })) steps.push(step.v)
  assert.deepEqual(steps, Array.from({ length: 25 }, (_, n) => n + 1))
  await Promise.all(Array.from({ length: 15 }, (_, n) => c.create(`counter/i-${n + 10}`)))
  const names = []
  for await (const { to } of c.instances({ machine: 'counter', prefix: 'i-', limit: 4 })) names.push(to)
  assert.deepEqual(names, Array.from({ length: 15 }, (_, n) => `counter/i-${n + 10}`))
  assert.deepEqual((await c.effects({ to: 'order/o-1' })).items.map(({ id }) => id), ['payment'])
  await assert.rejects(c.retry('order/o-1', 1), code('NO_SUCH_EFFECT'))
  assert.deepEqual((await c.cancel('order/o-1', { timer: 'payment' })).cancelled, [1])
  assert.deepEqual(await c.can('turnstile/gate', 'COIN'), { can: true, state: 'unlocked' })
  const waits = c.await('turnstile/gate', 'unlocked', { in: true })
  await c.send('turnstile/gate', 'COIN')
  assert.deepEqual((await waits).in, ['unlocked'])
  await assert.rejects(c.await('turnstile/gate', 'locked', { wait: 5 }), code('TIMEOUT'))
  const { results } = await c.batch([{ to: 'counter/b', event: 'increment' }, { to: 'turnstile/gate', event: 'COIN' }])
  assert.deepEqual([results[0].v, results[1].error.code], [1, 'EVENT_REJECTED'])
  assert.equal((await c.describe('turnstile')).transitions.length, 2)
  assert.ok((await c.definitions()).items.some(({ name }) => name === 'counter'))
  assert.ok((await c.stats()).requests > 0)
  await c.import('counter/i', { v: 41, state: { count: 7 } })
  assert.equal((await c.stop('counter/i', { reason: 'r' })).v, 41)
  await c.delete('counter/i')
  await assert.rejects(c.get('counter/i'), code('NO_SUCH_INSTANCE'))
  const deepest = JSON.parse('['.repeat(63) + ']'.repeat(63))
  for (const event of [deepest, Array(98_000).fill(0)]) {
    await assert.rejects(c.send('counter/a', event), error => error.isRefusal && error.code !== 'BAD_JSON')
  }
  const tail = await c.subscribe({ machine: 'counter', kind: ['output'], from: { last: 1000 } })
  assert.equal((await tail.next()).value.data, 1)
})

test('the same over WebSocket', needsServer, async t => {
  const { server, use } = await start(t)
  const c = use(await connect(`http://${server.webListen}`, fast))
  const subscription = await c.subscribe({ machine: 'counter', kind: ['state'], credit: 16 })
  const replies = await Promise.all(Array.from({ length: 500 }, () => c.send('counter/a', 'increment')))
  assert.deepEqual(replies.map(({ v }) => v), Array.from({ length: 500 }, (_, n) => n + 1))
  const seen = []
  for await (const { v } of subscription) {
    seen.push(v)
    if (v === 500) break
  }
  assert.deepEqual(seen, Array.from({ length: 501 }, (_, n) => n))
  const text = 'é'.repeat(100_000)
  await assert.rejects(c.send('counter/a', { type: 'nothing', text }), code('BAD_EVENT'))
})

test('a wait by its name on the wire fails nobody else', needsServer, async t => {
  const { server, use } = await start(t)
  const c = use(new Client(server.address, fast))
  const many = () => Array.from({ length: 50 }, () => c.send('counter/q', 'increment'))
  const before = many()
  const waits = [c.await('counter/q', 'done', { timeout_ms: 50 }),
    c.request('await', { to: 'counter/q', until: 'done', timeout_ms: 50 }, { wait: 60 })]
  const after = many()
  for (const wait of waits) await assert.rejects(wait, code('TIMEOUT'))
  for (const op of ['\ud800', undefined, 'get get', 7]) await assert.rejects(c.request(op), code('INVALID_REQUEST'))
  await assert.rejects(c.request('get', { to: 'counter/q', toJSON: () => ({ id: 7 }) }), code('INVALID_REQUEST'))
  const replies = await Promise.all([...before, ...after])
  assert.equal(replies.at(-1).v, 100)
})

test('a Unix socket', needsServer, async t => {
  const { server, use } = await start(t)
  await server.kill()
  server.address = `unix:${path.join(server.folder, 'socket')}`
  await server.start()
  const c = use(await connect(server.address, fast))
  assert.equal((await c.send('counter/a', 'increment')).v, 1)
})

for (const kind of ['TCP', 'WebSocket']) {
  test(`killed under load over ${kind}: nothing is lost and nothing comes twice`, needsServer, async t => {
    const { server, use } = await start(t)
    const url = () => kind === 'TCP' ? server.address : `http://${server.webListen}`
    const c = use(new Client(url(), fast))
    const watcher = use(new Client(url(), fast))
    const names = ['counter/a', 'counter/b', 'counter/c', 'counter/d']
    let isOver = false
    let acks = 0
    const load = async name => {
      const versions = []
      const underWay = []
      while (!isOver || underWay.length) {
        while (underWay.length < 16 && !isOver) underWay.push(c.send(name, 'increment'))
        if (underWay.length) {
          versions.push((await underWay.shift()).v)
          acks += 1
        }
      }
      return versions
    }
    const follow = async () => {
      const seen = Object.fromEntries(names.map(name => [name, []]))
      let from = 'first'
      for (;;) {
        // Now and then the follower itself starts again, with its stored cursor.
        for await (const record of await watcher.subscribe({ machine: 'counter', kind: ['output'], credit: 32, from })) {
          if (record.to === 'counter/end') return seen
          assert.equal(record.data, record.v)
          seen[record.to].push(record.v)
          from = { after: record.cur }
          if (seen[record.to].length % 200 === 0) break
        }
      }
    }
    const loads = names.map(load)
    const following = follow()
    for (let round = 1; round <= 12; round += 1) {
      const goal = acks + 20 + round * 15
      while (acks < goal) await new Promise(setImmediate)
      if (round % 4 === 0) await server.stop()
      else await server.kill()
      await server.start()
    }
    isOver = true
    const all = await Promise.all(loads)
    await c.send('counter/end', 'increment')
    const seen = await following
    for (const [place, name] of names.entries()) {
      const expected = Array.from({ length: all[place].length }, (_, n) => n + 1)
      assert.deepEqual(all[place], expected, 'each acknowledged event has its own version')
      assert.deepEqual(seen[name], expected, 'the subscription has missed and repeated nothing')
      assert.deepEqual((await c.get(name)).state, { count: expected.length })
    }
  })
}

test('replies have the members that their types say', needsServer, async t => {
  const { server, use } = await start(t)
  const c = use(await connect(server.address, fast))
  const text = await readFile(new URL('../grove.d.ts', import.meta.url), 'utf8')
  const conforms = (name, value) => {
    const [, body] = new RegExp(`export interface ${name}(?:<[^>]*>)? {\n(.*?)\n}`, 's').exec(text)
    const members = [...body.matchAll(/^ {2}(\w+)(\??):/gm)]
    for (const [, member, optional] of members) assert.ok(optional || member in value, `${name} has no ${member}`)
    for (const member of Object.keys(value)) {
      assert.ok(members.some(([, known]) => known === member), `${name} says nothing of ${member}`)
    }
  }
  await c.send('order/o-1', { type: 'place', total: 30 })
  await c.send('sign-in/s', { type: 'request', user: 'u' })
  for (const to of ['order/o-1', 'sign-in/s']) {
    const instance = await c.get(to)
    conforms('Instance', instance)
    for (const timer of instance.timers) conforms('Timer', timer)
    for (const effect of instance.effects) conforms('Effect', effect)
  }
  for (const effect of (await c.effects()).items) conforms('Effect', effect)
  const versions = ['1', '2', '1'].map(version => ({ id: 'door', version, initial: 'a', states: { a: { on: { X: 'b' } }, b: { on: { [`Y${version}`]: 'a' } } } }))
  for (const version of versions) conforms('DefineReply', await c.define(version))
  assert.equal((await c.define(versions[0])).present, '2')
  conforms('ReloadReply', await c.reload())
})

test('a suspended instance can be read and resumed while a send waits for it', needsServer, async t => {
  const { server, use } = await start(t)
  const c = use(await connect(server.address, { ...fast, timeout: 10_000 }))
  await c.create('counter/held')
  await c.suspend({ to: 'counter/held' })
  const send = c.send('counter/held', 'increment')
  await new Promise(resolve => setTimeout(resolve, 100))
  assert.equal((await c.get('counter/held')).held, 'suspended')
  assert.equal((await c.resume({ to: 'counter/held' })).changed, true)
  assert.equal((await send).v, 1)
})
