import { browser } from './wd.mjs'
import { readFileSync } from 'node:fs'
const axe = readFileSync('axe/axe_playwright_python/axe.min.js', 'utf8')
const pages = ['#/', '#/order', '#/order/o-2', '#/counter/long?v=200', '#/sign-in/ann', '#/~attention', '#/~records', '#/~server', '#/order/nothing', '#/nothing', '#/traffic-light/a']
for (const dark of [false, true]) {
  const b = await browser({ width: 1280, dark })
  for (const p of pages) {
    await b.go(p, 2600)
    await b.js(axe + '; window.axeDone = null; axe.run().then(r => { window.axeDone = r.violations.map(v => v.id + ": " + v.nodes.slice(0,3).map(n => n.html.slice(0,140) + " | " + (n.any[0]?.message ?? "")).join(" ;; ")) }, e => { window.axeDone = [String(e)] })')
    let r; for (let i = 0; i < 80 && !r; i++) { await new Promise(x => setTimeout(x, 100)); r = await b.js('return window.axeDone') }
    console.log(dark ? 'dark' : 'light', p, r?.length ? r : 'ok')
    const log = (await b.log()).filter(l => !/diagram\.svg.*404/.test(l)); if (log.length) console.log('  LOG', log)
  }
  await b.end()
}
