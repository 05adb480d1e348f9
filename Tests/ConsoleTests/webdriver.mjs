/** A browser, driven by W3C WebDriver: JSON over HTTP to chromedriver. */

import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'

/** Keys that have no character, as WebDriver writes them. */
export const KEYS = {
  tab: '\uE004', enter: '\uE007', escape: '\uE00C', space: ' ', left: '\uE012', up: '\uE013', right: '\uE014',
  down: '\uE015', backspace: '\uE003',
}
const SHIFT = '\uE008'
const CONTROL = '\uE009'
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** The paths of a browser and its driver; `undefined` if one of them isn't installed. */
export function findBrowser() {
  const find = names => names.flatMap(name => (process.env.PATH ?? '').split(':').map(folder => path.join(folder, name)))
    .find(file => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
  const browser = find(['chromium', 'chromium-browser', 'google-chrome'])
  const driver = find(['chromedriver'])
  return browser && driver ? { browser, driver } : undefined
}

/** One session of a browser. */
export class Browser {
  #driver; #root; #session

  static async open({ browser, driver }) {
    const it = new Browser()
    it.#driver = spawn(driver, ['--port=0'], { stdio: ['ignore', 'pipe', 'ignore'] })
    for await (const line of readline.createInterface(it.#driver.stdout)) {
      const port = /successfully on port (\d+)/.exec(line)?.[1]
      if (!port) continue
      it.#root = `http://127.0.0.1:${port}`
      break
    }
    if (!it.#root) throw new Error('chromedriver did not start')
    it.#driver.stdout.resume()
    const { sessionId } = await it.#call('POST', '/session', { capabilities: { alwaysMatch: {
      browserName: 'chrome', 'goog:loggingPrefs': { browser: 'ALL' },
      'goog:chromeOptions': { binary: browser, args: ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage',
        '--window-size=1280,900', '--hide-scrollbars', '--enable-precise-memory-info', '--js-flags=--expose-gc',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'] },
    } } })
    it.#session = `/session/${sessionId}`
    await it.#call('POST', `${it.#session}/timeouts`, { script: 20_000, pageLoad: 20_000 })
    return it
  }

  async #call(method, place, body) {
    const reply = await fetch(this.#root + place, { method, body: body && JSON.stringify(body) })
    const { value } = await reply.json()
    if (value?.error) throw new Error(`${value.error}: ${value.message.split('\n')[0]}`)
    return value
  }

  #post(place, body = {}) {
    return this.#call('POST', this.#session + place, body)
  }

  async close() {
    try {
      await this.#call('DELETE', this.#session)
    } finally {
      this.#driver.kill()
    }
  }

  /** Opens an address. */
  open(url) {
    return this.#post('/url', { url })
  }

  /** Runs the body of a function in the page, and returns its result. */
  js(script, ...args) {
    return this.#post('/execute/sync', { script, args })
  }

  /** Runs the body of an asynchronous function in the page, and waits for it. */
  async wait(script, ...args) {
    const body = `const end = arguments[arguments.length - 1]
      Promise.resolve((async () => { ${script} })()).then(value => end({ value }), error => end({ error: String(error) }))`
    const { value, error } = await this.#post('/execute/async', { script: body, args })
    if (error) throw new Error(error)
    return value
  }

  cdp(cmd, params = {}) {
    return this.#post('/goog/cdp/execute', { cmd, params })
  }

  /** Presses keys, one after the other. */
  async keys(text, { shift = false, control = false } = {}) {
    const held = [...shift ? [SHIFT] : [], ...control ? [CONTROL] : []]
    const press = (type, value) => ({ type, value })
    const actions = [...held.map(key => press('keyDown', key)),
      ...[...text].flatMap(key => [press('keyDown', key), press('keyUp', key)]),
      ...held.map(key => press('keyUp', key))]
    await this.#post('/actions', { actions: [{ type: 'key', id: 'keys', actions }] })
  }

  /** Clicks twice on the first element of a selector, as a hurried hand does. */
  async doubleClick(css) {
    const element = await this.#post('/element', { using: 'css selector', value: css })
    const click = [{ type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }]
    await this.#post('/actions', { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [
      { type: 'pointerMove', duration: 0, x: 0, y: 0, origin: { [ELEMENT]: element[ELEMENT] } }, ...click, ...click] }] })
  }

  /** What the browser has logged since the last call. */
  async log() {
    return (await this.#post('/se/log', { type: 'browser' })).map(({ level, message }) => `${level} ${message}`)
  }

  /** The picture of the whole page, as PNG. */
  async picture({ whole = true, height = 4000 } = {}) {
    const size = await this.js('return [innerWidth, document.documentElement.scrollHeight]')
    const clip = whole ? { x: 0, y: 0, width: size[0], height: Math.min(height, size[1]), scale: 1 } : undefined
    const { data } = await this.cdp('Page.captureScreenshot', { captureBeyondViewport: whole, clip })
    return Buffer.from(data, 'base64')
  }

  /** The size of the page, and the scheme of colors that the user wants. */
  async look({ width = 1280, height = 900, dark = false } = {}) {
    await this.cdp('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
    await this.cdp('Emulation.setEmulatedMedia', { features: [
      { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
      { name: 'prefers-reduced-motion', value: 'reduce' }] })
  }

  tabs() {
    return this.#call('GET', `${this.#session}/window/handles`)
  }

  async newTab() {
    const { handle } = await this.#post('/window/new', { type: 'tab' })
    await this.useTab(handle)
    return handle
  }

  useTab(handle) {
    return this.#post('/window', { handle })
  }

  closeTab() {
    return this.#call('DELETE', `${this.#session}/window`)
  }
}
