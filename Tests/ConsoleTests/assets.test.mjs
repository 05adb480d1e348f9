/** Rules about the files of the console, and their size as the server sends them. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import http from 'node:http'
import { needsServer, RealServer } from '../../JavaScript/tests/servers.mjs'

const folder = new URL('../../Sources/CConsole/web/', import.meta.url)
const names = readdirSync(folder)
const read = name => readFileSync(new URL(name, folder), 'utf8')

const FORBIDDEN = [
  ['text that becomes elements', /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment/],
  ['text that becomes a program', /\beval\b|new Function|setTimeout\(['"`]/],
  ['an inline style', /style=|\.style\b|<style|cssText/],
  ['an address elsewhere', /http:\/\/(?!www\.w3\.org\/2000\/svg)|https:\/\//],
  ['an inline script', /<script(?![^>]*\bsrc=)|javascript:|\son\w+=["']/],
  ['an import that is no file beside it', /\bimport\s*\(\s*['"`](?!\.\/|node:)|^import ['"](?!\.\/)|^import .* from ['"](?!\.\/)/m],
  ['work that is postponed', /\b(TODO|FIXME|XXX)\b/],
]

/** What a text breaks of the rules. */
const broken = text => FORBIDDEN.filter(([, pattern]) => pattern.test(text)).map(([rule]) => rule)

/** The text without comments, and without what a program for Node needs. */
const code = name => read(name).replace(/\/\*\*?[^]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

/** A script without the lines that are comments, and without empty ones. */
const withoutComments = text => text.replace(/^ *\/\*\*[^]*?\*\/$/gm, '').replace(/^ *\/\/.*$/gm, '').replace(/\n{2,}/g, '\n').replace(/^\n/, '')

test('no file has what the page must not do', () => {
  for (const name of names) assert.deepEqual(broken(code(name)), [], name)
})

test('what a rule forbids is found', () => {
  const planted = ['x.innerHTML = y', 'eval(x)', '<p style="a">', 'fetch("http://a/")', '<script>x</script>',
    'import x from "/a.js"', '// TODO']
  assert.deepEqual(planted.map(text => broken(text)[0]), FORBIDDEN.map(([rule]) => rule))
  assert.deepEqual(broken('import { a } from \'./a.js\''), [])
})

test('modules are short, at most twenty, and all of them are taken in', () => {
  const modules = names.filter(name => name.endsWith('.js'))
  assert.ok(modules.length <= 20, `${modules.length} modules`)
  const source = readFileSync(new URL('../console.c', folder), 'utf8')
  for (const name of names) assert.ok(source.includes(`#embed "web/${name}"`) && source.includes(`FILE_NAMED("${name}"`), name)
  for (const name of modules) {
    const text = read(name)
    if (name !== 'grove.js') assert.ok(text.split('\n').length <= 301, `${name} is long`)
    assert.match(text, /^\/\*\*/, `${name} says what it is`)
    for (const [, other] of text.matchAll(/(?:from|import\() ?'\.\/(.*?)'/g)) assert.ok(modules.includes(other), other)
  }
})

/** The bytes of an answer as they are sent. */
function fetchPacked(url, encoding) {
  return new Promise((resolve, reject) => {
    http.get(url, { headers: { 'Accept-Encoding': encoding }, agent: false }, reply => {
      const parts = []
      reply.on('data', part => parts.push(part))
      reply.on('end', () => resolve({ reply, bytes: Buffer.concat(parts) }))
    }).on('error', reject)
  })
}

test('all files together are small, plain and packed', needsServer, async t => {
  const server = await RealServer.start()
  t.after(() => server.remove())
  const origin = `http://${server.webListen}`
  const { bytes: page } = await fetchPacked(`${origin}/`, 'identity')
  const hash = /assets\/([0-9a-f]+)\//.exec(page)[1]
  let [plain, packed] = [0, 0]
  for (const name of names) {
    const url = name === 'index.html' ? `${origin}/` : `${origin}/assets/${hash}/${name}`
    const whole = await fetchPacked(url, 'identity')
    const small = await fetchPacked(url, 'gzip')
    assert.equal(whole.reply.statusCode, 200, name)
    const isPacked = small.reply.headers['content-encoding'] === 'gzip'
    assert.deepEqual(isPacked ? gunzipSync(small.bytes) : small.bytes, whole.bytes, name)
    if (name.endsWith('.js')) assert.equal(`${whole.bytes}`, withoutComments(read(name)), name)
    plain += whole.bytes.length
    packed += small.bytes.length
  }
  t.diagnostic(`${plain} bytes, packed ${packed}`)
  assert.ok(plain <= 150_000, `${plain} bytes`)
  assert.ok(packed <= 50_000, `${packed} bytes packed`)
})
