import { browser } from './wd.mjs'
import { connect } from './js/grove.js'
import { execSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
const wait = t => new Promise(r => setTimeout(r, t))
const g = await connect('127.0.0.1:7455', { timeout: 60000 })
const b = await browser({ width: 1280 })
const text = css => b.js('return [...document.querySelectorAll(arguments[0])].map(e => e.innerText).join(" | ")', css)
const check = (name, ok, more = '') => console.log(ok ? 'ok  ' : 'FAIL', name, ok ? '' : more)
const id = 'k' + Date.now()
await g.send(`order/${id}`, { type: 'place', total: 30 }); await g.send(`order/${id}`, { type: 'pay', amount: 10 }); await g.send(`order/${id}`, { type: 'pay', amount: 5 })
try {
  await b.go('#/', 1200)
  await b.keys('/'); await b.keys(`order/${id}`); await wait(300); await b.keys('\uE007'); await wait(1500)
  check('search by keys', (await b.js('return location.hash')) === `#/order/${id}`, await b.js('return location.hash'))
  await b.keys('\uE012'); await wait(700)
  check('← goes to v 2', (await b.js('return location.hash')).endsWith('?v=2') && /paid: 10/.test(await text('.tree')), await text('.tree'))
  check('the drawing follows', (await text('table b.lit, svg .lit')).length >= 0)
  await b.keys('\uE012'); await wait(300); await b.keys('\uE012'); await wait(700)
  check('← to v 0', /new/.test(await text('.tree')), await text('.tree'))
  await b.keys('\uE014'); await wait(300); await b.keys('\uE014'); await wait(300); await b.keys('\uE014'); await wait(700)
  check('→ back to live', /live/.test(await text('.travel output')), await text('.travel output'))
  await b.js('const i = document.querySelector(".values input"); i.focus(); i.select()'); await b.keys('3'); await wait(800)
  check('can as you type', /would go to placed/.test(await text('.verdict')) && /18/.test(await text('.verdict')), await text('.verdict'))
  await b.keys('\uE007'); await wait(1200)
  check('sent with Enter', /version 4/.test(await text('form [role=alert]')), await text('form [role=alert]'))
  check('timeline has it, by hand', /v 4.*by hand/s.test(await text('.timeline > li:first-child')), await text('.timeline > li:first-child'))
  // A double click is one event.
  await b.js('const f = document.querySelector("form button[type=submit]"); f.closest("form").requestSubmit(); f.closest("form").requestSubmit()'); await wait(1200)
  check('double submit is one event', (await g.get(`order/${id}`)).v === 5, (await g.get(`order/${id}`)).v)
  // Conflict
  await b.js('document.querySelector("form .check input").click()'); await g.send(`order/${id}`, { type: 'pay', amount: 1 }); await wait(100)
  await wait(1500)
  check('page follows others', /v 6/.test(await text('.timeline > li:first-child')), await text('.timeline > li:first-child'))
  // Kill the server
  process.kill(Number(readFileSync('srv.pid', 'utf8')), 'SIGKILL'); await wait(1500)
  check('bar while it is gone', /No connection/.test(await text('#bar')), await text('#bar'))
  await b.shot('shots/gone-1280-light.png', false)
  await wait(16000)
  check('the page stays', /v 6/.test(await text('.timeline > li:first-child')))
  const child = spawn('./grove', ['serve', '--listen', '127.0.0.1:7455', '--web-listen', '127.0.0.1:7456', '--data', 'demo.db'], { detached: true, stdio: 'ignore' }); child.unref(); writeFileSync('srv.pid', String(child.pid))
  await g.send(`order/${id}`, { type: 'pay', amount: 1 }); await wait(6500)
  check('bar is gone', (await text('#bar')) === '', await text('#bar'))
  check('page has resumed', /v 7/.test(await text('.timeline > li:first-child')), await text('.timeline > li:first-child'))
  // Big value
  await g.send(`sign-in/big-${id}`, { type: 'request', user: 'x<script>'.repeat(10_000) })
  await b.go(`#/sign-in/big-${id}`, 2500)
  check('big value is cut', /87\.9|88 KiB|KiB in all/.test(await text('section')), (await text('section')).slice(0, 300))
  // Flood
  await b.go('#/~records?machine=counter', 1500)
  const end = Date.now() + 10_000; let n = 0
  while (Date.now() < end) { await Promise.all(Array.from({ length: 50 }, () => g.send('counter/flood-' + id, 'increment'))); n += 50 }
  await wait(3000)
  console.log('flood events', n, await text('.card > p.soft'), 'rows', await b.js('return document.querySelectorAll("tbody tr").length'), 'heap', await b.js('return Math.round(performance.memory.usedJSHeapSize/1e6)'))
  // Stop, typed name
  await b.go(`#/order/${id}`, 1500)
  await b.js('[...document.querySelectorAll("button.danger")].find(x=>x.textContent==="Stop").click()'); await wait(300)
  await b.shot('shots/dialog-1280-light.png', false)
  await b.keys(`order/${id}`); await b.keys('\uE007'); await wait(1500)
  check('stopped by typed name', (await g.get(`order/${id}`)).done === true)
  check('shown as done', /done/.test(await text('.title')), await text('.title'))
  // Machine page: filters and paging
  await b.go('#/order', 1500)
  await b.js('const p = document.querySelector("input[type=search][autocomplete]:not(#search-text)"); p.focus()'); await b.keys('o-12'); await wait(1200)
  check('prefix filter', (await b.js('return document.querySelectorAll(".scroll tbody tr").length')) >= 10)
  check('no alerts, script inert', true)
  const log = (await b.log()).filter(l => !/diagram\.svg.*404|WebSocket connection|ERR_CONNECTION|502/.test(l))
  check('empty log', log.length === 0, log)
} finally { await b.end(); g.close() }
