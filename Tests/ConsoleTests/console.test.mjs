/** The console in a browser, with the server that was built. One session serves all tests. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { binary, needsServer } from '../../JavaScript/tests/servers.mjs'
import * as accounts from './accounts.mjs'
import * as acts from './acts.mjs'
import * as looks from './looks.mjs'
import * as pages from './pages.mjs'
import { Stage } from './stage.mjs'
import * as trouble from './trouble.mjs'
import { findBrowser } from './webdriver.mjs'

const paths = findBrowser()
const missing = paths ? undefined : 'Chromium or chromedriver isn’t installed'
const only = process.env.CONSOLE_TEST && new RegExp(process.env.CONSOLE_TEST)

test('the console in a browser', { timeout: 350_000, skip: process.env.CI ? undefined : missing }, async t => {
  assert.ok(paths, missing)
  assert.ok(!needsServer.skip, `there is no server: ${binary}`)
  const stage = await Stage.open(paths)
  try {
    for (const [name, work] of [pages, acts, trouble, accounts, looks].flatMap(({ tests }) => Object.entries(tests))) {
      if (!only || only.test(name)) await t.test(name, { timeout: 90_000 }, () => stage.run(work))
    }
  } finally {
    await stage.close()
  }
})
