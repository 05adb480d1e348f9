/** The client with a real server over TLS. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { connect } from '../grove.js'
import { needsServer, RealServer } from './servers.mjs'

test('TLS proves who the server is', needsServer, async t => {
  const folder = await mkdtemp(path.join(tmpdir(), 'grove-javascript-tls-'))
  const key = path.join(folder, 'server.key')
  const certificate = path.join(folder, 'server.pem')
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
    '-keyout', key, '-out', certificate, '-days', '2', '-subj', '/CN=test',
    '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'], { stdio: 'ignore' })
  chmodSync(key, 0o600)
  const server = await RealServer.start({ address: 'tls:127.0.0.1:0', flags: [
    '--tls-certificate', certificate, '--tls-key', key] })
  t.after(async () => {
    await server.remove()
    await rm(folder, { recursive: true })
  })
  const port = server.address.split(':').at(-1)
  const fast = { firstDelay: 5, timeout: 5000 }
  const isRefused = error => error.code === 'TLS_FAILED' && !error.retry
  await assert.rejects(connect(`tls:127.0.0.1:${port}`, fast), isRefused)
  for (const wrong of [{ minVersion: 'TLSv9' }, { key: 'no key' }, { ciphers: 'NONE' }]) {
    await assert.rejects(connect(`tls:127.0.0.1:${port}`, { ...fast, tls: wrong }), isRefused)
  }
  const tls = { ca: readFileSync(certificate) }
  const c = await connect(`tls:127.0.0.1:${port}`, { ...fast, tls })
  assert.equal((await c.send('counter/a', 'increment')).v, 1)
  c.close()
  await assert.rejects(connect(`tls:127.0.0.1:${server.webListen.split(':')[1]}`, { ...fast, tls }), isRefused)
})
