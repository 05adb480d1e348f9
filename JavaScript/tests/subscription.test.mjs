/** Subscriptions over the connections of a server that plays a script. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { code, play } from './servers.mjs'

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

test('what is wrong with a subscription is said at once, and ends nothing else', async () => {
  const { server, client } = await play(async connection => {
    await connection.greet()
    connection.reply(await connection.request('get'))
    connection.reply(await connection.request('get'))
  })
  const c = client()
  const wrong = [{ from: { last: NaN } }, { machine: 7n }, { kind: ['\ud800'] }, { credit: NaN }]
  const refused = () => Promise.all(wrong.map(options =>
    assert.rejects(c.subscribe(options), code('INVALID_REQUEST'))))
  await refused()
  await c.get('c/a')
  await refused()
  await c.get('c/a')
  c.close()
  await server.finish()
})
