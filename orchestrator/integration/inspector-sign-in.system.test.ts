/** People sign in to the inspector of a started orchestrator: at the stand-in, and at a provider that nobody here wrote. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page, type WebSocketRoute } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { captureLog, type LogCapture } from '../../http/testing/fixture.ts'
import { startIdentity } from '../../standins/identity/identity.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { password, signInAt, startZitadel } from '../../testing/zitadel.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'
import { startOrchestrator } from '../wiring/start.ts'
import { openDatabase } from '../testing/database.ts'
import { settingsOf } from '../testing/fixture.ts'
import { portsForTests } from '../testing/ports.ts'
import { freePort } from '../../testing/free-port.ts'

const roles = { claim: 'groups', values: { viewer: ['viewers'] }, owners: {} }
const groups = { ada: ['viewers'], ben: ['others'] }
const signInCode = 'printed on the terminal'

interface Provider {
  readonly issuer: string
  readonly inspector: OrchestratorSettings['inspector']
  /** What a person types there. */
  fillIn(page: Page, name: string): Promise<void>
  /** What a person does there after `sign out`. */
  leave(page: Page): Promise<void>
  stop(): Promise<void>
}

type Start = (redirectUri: string) => Promise<Provider>

const standIn: Start = async (redirectUri) => {
  const inspector = { clientId: 'inspector', clientSecret: '', scope: 'openid', loginClaim: 'sub' }
  const browsers = [{ clientId: inspector.clientId, redirectUris: [redirectUri] }]
  const people = { devices: [], browsers, signInCode, groups }
  // Another site than the orchestrator's, so that a browser withholds strict cookies on the way back.
  const identity = await startIdentity({ host: 'localhost', clients: [], people })
  return {
    issuer: identity.issuer,
    inspector,
    async fillIn(page, name) {
      await page.getByLabel('Any name').fill(name)
      await page.getByLabel('Sign-in code').fill(signInCode)
      await page.getByRole('button', { name: 'Continue' }).click()
    },
    async leave(page) {
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Signed out' }).waitFor()
      expect(page.url()).toBe(redirectUri)
    },
    stop: () => identity.close(),
  }
}

const zitadel: Start = async (redirectUri) => {
  const people = Object.fromEntries(Object.entries(groups).map(([name, of]) => [name, { groups: of }]))
  const server = await startZitadel({ people, redirectUris: [redirectUri] })
  return {
    issuer: server.issuer,
    inspector: { clientId: 'web', clientSecret: 'secret', scope: 'openid profile', loginClaim: 'sub' },
    async fillIn(page, name) {
      await page.getByLabel('Username:').fill(name)
      await page.getByLabel('Password:').fill(password)
      await page.getByRole('button', { name: 'Login' }).click()
    },
    async leave(page) {
      await page.getByRole('heading', { name: 'Signed out' }).waitFor()
      expect(page.url()).toBe(redirectUri)
    },
    stop: server.stop,
  }
}

interface Scene {
  readonly url: string
  readonly provider: Provider
  readonly printedLink: string
  readonly log: LogCapture
}

async function withOrchestrator(start: Start, use: (scene: Scene) => Promise<void>): Promise<void> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const provider = await start(`${url}/inspector/callback`)
  const dir = mkdtempSync(join(tmpdir(), 'sign-in-'))
  const database = await openDatabase()
  const { inspector, issuer } = provider
  const http = { host: '127.0.0.1', port }
  const databaseUrl = database?.url ?? ''
  const log = captureLog()
  const orchestrator = await startOrchestrator(
    { ...settingsOf(dir, issuer), http, publicUrl: url, databaseUrl, inspector, roles },
    portsForTests({ logger: log.logger, programDir: dir }),
  )
  try {
    await use({ url, provider, printedLink: orchestrator.inspectorLink(), log })
  } finally {
    await orchestrator.stop()
    await provider.stop()
    await database?.drop()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Fails on any error of the page, where the answer 403 of a sign-in is none. */
async function withPage(use: (page: Page) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  })
  try {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    await use(page)
    expect(errors).toEqual([])
  } finally {
    await browser.close()
  }
}

/** A person in a browser: in, out and in again, and one who may not. */
async function playVisit({ url, provider, log }: Scene, page: Page): Promise<void> {
  const isLive = (): Promise<void> => page.locator('[role=status].open').waitFor()
  await page.goto(`${url}/inspector`)
  await provider.fillIn(page, 'ada')
  await isLive()
  expect(page.url()).toBe(`${url}/inspector`)
  expect(log.lines()).toContainEqual(expect.objectContaining({ subject: 'ada', issuer: provider.issuer }))
  await page.reload()
  await isLive()
  // The forge has no such maintainer: nothing waits for her, which she may look beyond.
  await page.getByRole('checkbox', { name: 'Only what waits for ada' }).uncheck()

  await page.getByRole('button', { name: 'sign out' }).click()
  await provider.leave(page)
  expect((await page.request.get(`${url}/inspector/api/kinds`)).status()).toBe(401)
  // The provider asks who it is: it does not know her any more.
  await page.goto(`${url}/inspector`)
  await provider.fillIn(page, 'ben')
  await page.getByRole('heading', { name: 'No access' }).waitFor()
  expect(await page.locator('main').innerText()).toContain('needs the role viewer')
  expect((await page.request.get(`${url}/inspector/api/kinds`)).status()).toBe(401)
  expect(JSON.stringify(log.lines())).not.toMatch(/eyJ|id_token/)
}

describeRequiring('chromium', 'a browser', () => {
  test('signs in at the stand-in, out, and in as somebody who may not look (INSPECTOR-2)', async () => {
    await withOrchestrator(standIn, async (scene) => withPage((page) => playVisit(scene, page)))
  })

  test('renews a session that is over by itself, shows what it showed, and no more after a sign-out', async () => {
    await withOrchestrator(standIn, async ({ url, provider }) => {
      await withPage(async (page) => {
        const lines: WebSocketRoute[] = []
        await page.routeWebSocket('**/inspector/live**', (line) => {
          lines.push(line)
          line.connectToServer()
        })
        await page.goto(`${url}/inspector`)
        await provider.fillIn(page, 'ada')
        await page.locator('[role=status].open').waitFor()
        await page.evaluate("location.hash = 'actor=queue:default/demo'")
        await page.context().clearCookies({ name: /^statewright_inspector/ })
        const renewed = page.waitForEvent('load')
        await lines.at(-1)!.close()
        await renewed
        await page.locator('[role=status].open').waitFor()
        expect(page.url()).toBe(`${url}/inspector#actor=queue:default/demo`)

        // Once more within the minute would be a circle: the person decides.
        await page.context().clearCookies({ name: /^statewright_inspector/ })
        await lines.at(-1)!.close()
        await page.getByRole('button', { name: 'Sign in again' }).click()
        await page.locator('[role=status].open').waitFor()
        expect(page.url()).toBe(`${url}/inspector#actor=queue:default/demo`)

        // As where the provider has no place to sign out: the page says so, and nothing of what it showed is left.
        await page.route('**/inspector/logout', (route) => route.fulfill({ status: 204 }))
        await page.getByRole('button', { name: 'sign out' }).click()
        await page.getByRole('heading', { name: 'Signed out of this page' }).waitFor()
        expect(await page.locator('#app').innerText()).toMatch(
          /^Signed out of this page\s+The identity provider may still/,
        )
        expect(await page.getByText('default/demo').count()).toBe(0)
      })
    })
  })
})

describeRequiring('oidc', 'at a provider that nobody here wrote', () => {
  async function begin(url: string): Promise<{ readonly address: string; readonly cookie: string }> {
    const answer = await fetch(`${url}/inspector/login`, { redirect: 'manual' })
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
    return { address: answer.headers.get('location') ?? '', cookie }
  }
  const comeBack = (address: string, cookie: string): Promise<Response> => fetch(address, { headers: { cookie } })

  test('a code signs in the browser that began, once; an injected one signs nobody in (INSPECTOR-2)', async () => {
    await withOrchestrator(zitadel, async ({ url, printedLink, log }) => {
      expect(printedLink).toBe(`${url}/inspector`)
      const ada = await begin(url)
      const back = await signInAt(ada.address, 'ada')
      expect((await comeBack(back, '')).status).toBe(400)
      const page = await comeBack(back, ada.cookie)
      expect(page.status).toBe(200)
      const session = page.headers.getSetCookie().find((cookie) => cookie.startsWith('statewright_inspector_'))
      const cookie = session?.split(';')[0] ?? ''
      expect((await fetch(`${url}/inspector/api/kinds`, { headers: { cookie } })).status).toBe(200)
      expect((await comeBack(back, ada.cookie)).status).toBe(400)

      // A code that was stolen from another's way back: the challenge of that sign-in is not of this verifier.
      const [mine, theirs] = [await begin(url), await begin(url)]
      const stolen = new URL(await signInAt(theirs.address, 'ada')).searchParams.get('code') ?? ''
      const own = new URL(await signInAt(mine.address, 'ben'))
      own.searchParams.set('code', stolen)
      const injected = await comeBack(own.href, mine.cookie)
      expect([injected.status, await injected.text()]).toEqual([401, expect.stringContaining('invalid_grant')])

      const ben = await begin(url)
      const refused = await comeBack(await signInAt(ben.address, 'ben'), ben.cookie)
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('<code>ben</code>')])
      expect(JSON.stringify(log.lines())).not.toContain('ticket')
    })
  })

  describe('in a browser', () => {
    describeRequiring('chromium', 'of its own', () => {
      test('a person signs in, out, and in as somebody who may not look (INSPECTOR-2)', async () => {
        await withOrchestrator(zitadel, async (scene) => withPage((page) => playVisit(scene, page)))
      })
    })
  })
})
