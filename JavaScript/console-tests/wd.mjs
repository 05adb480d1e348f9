// W3C WebDriver by chromedriver: screenshots and checks.
import { spawn } from 'node:child_process'
import readline from 'node:readline'
import { writeFileSync } from 'node:fs'
export async function browser({ width = 1280, height = 900, dark = false, base = 'http://127.0.0.1:7457' } = {}) {
  const child = spawn('chromedriver', ['--port=0'], { stdio: ['ignore', 'pipe', 'ignore'] })
  let port
  for await (const line of readline.createInterface(child.stdout)) { const m = /successfully on port (\d+)/.exec(line); if (m) { port = m[1]; break } }
  const call = async (method, path, body) => {
    const r = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) })
    const { value } = await r.json()
    if (value?.error) throw new Error(value.error + ': ' + value.message)
    return value
  }
  const { sessionId } = await call('POST', '/session', { capabilities: { alwaysMatch: { browserName: 'chrome', 'goog:loggingPrefs': { browser: 'ALL' }, 'goog:chromeOptions': { binary: '/usr/bin/chromium', args: ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', `--window-size=${Math.max(width, 500)},${height}`, '--hide-scrollbars', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'] } } } })
  const s = `/session/${sessionId}`
  const cdp = (cmd, params = {}) => call('POST', `${s}/goog/cdp/execute`, { cmd, params })
  await cdp('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
  await cdp('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] })
  const b = {
    cdp,
    go: async (hash, wait = 900) => { await call('POST', `${s}/url`, { url: `${base}/${hash}` }); await new Promise(r => setTimeout(r, wait)) },
    js: (script, ...args) => call('POST', `${s}/execute/sync`, { script, args }),
    keys: async text => { const actions = [...text].flatMap(v => [{ type: 'keyDown', value: v }, { type: 'keyUp', value: v }]); await call('POST', `${s}/actions`, { actions: [{ type: 'key', id: 'k', actions }] }) },
    click: async css => { const e = await call('POST', `${s}/element`, { using: 'css selector', value: css }); await call('POST', `${s}/element/${Object.values(e)[0]}/click`, {}) },
    shot: async (file, full = true) => { const { data } = await cdp('Page.captureScreenshot', { captureBeyondViewport: full, ...(full ? { clip: await b.js('return {x:0,y:0,width:innerWidth,height:Math.min(3000,document.documentElement.scrollHeight),scale:1}') } : {}) }); writeFileSync(file, Buffer.from(data, 'base64')) },
    log: async () => (await call('POST', `${s}/se/log`, { type: 'browser' })).map(l => `${l.level} ${l.message}`),
    end: async () => { await call('DELETE', s); child.kill() },
  }
  return b
}
