import { createServer, type IncomingHttpHeaders } from 'node:http'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeRequiring } from '../../../testing/requires.ts'
import { withForge, type ForgeFixture } from '../testing/fixture.ts'

vi.setConfig({ testTimeout: 60_000 })

const key = 'a1'.repeat(20)

describeRequiring('chromium', 'the pages of the forge in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--headless', '--no-sandbox', '--disable-gpu'],
    })
  })
  afterAll(() => browser.close())

  /** An agent listens on a port of the same machine, and has written a link to it into an issue. */
  async function withNeighbour(
    use: (
      page: Page,
      scene: { forge: ForgeFixture['forge']; seen: IncomingHttpHeaders[]; issue: string },
    ) => Promise<void>,
  ): Promise<void> {
    await withForge({ git: 'memory', people: [{ login: 'maintainer', key }] }, async ({ forge }) => {
      const seen: IncomingHttpHeaders[] = []
      const issue = forge.pageOf(key, 'acme/library/issues/1')
      const neighbour = createServer(({ headers }, response) => {
        seen.push(headers)
        response.setHeader('content-type', 'text/html')
        response.end(
          `<form method="post" action="${issue}/comment"><input name="body" value="/approve"><button>Go</button></form>`,
        )
      })
      await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve))
      const address = neighbour.address()
      const port = typeof address === 'object' && address ? address.port : 0
      forge.openIssue('bot', 'acme/library', { title: 'Look', body: `[here](http://127.0.0.1:${port}/)` })
      const context = await browser.newContext()
      try {
        await use(await context.newPage(), { forge, seen, issue })
      } finally {
        await context.close()
        neighbour.closeAllConnections()
        await new Promise((resolve) => neighbour.close(resolve))
      }
    })
  }

  const commentsIn = (forge: ForgeFixture['forge']): string[] =>
    [...forge.issue('acme/library', 1).comments.values()].map(({ body }) => body)

  test('a form of the forge itself is taken, with the origin that a browser sends', async () => {
    await withNeighbour(async (page, { forge, issue }) => {
      await page.goto(issue)
      await page.getByLabel('Comment, in Markdown').fill('By hand')
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.getByText('By hand').waitFor()
      expect(commentsIn(forge)).toEqual(['By hand'])
    })
  })

  test.each([
    { policy: 'same-origin', referer: undefined },
    { policy: 'unsafe-url', referer: expect.stringContaining(key) },
  ])('by the policy $policy a link to a port of an agent carries the key: $referer', async ({ policy, referer }) => {
    await withNeighbour(async (page, { seen, issue }) => {
      if (policy !== 'same-origin')
        await page.route(issue, async (route) => {
          const response = await route.fetch()
          const body = (await response.text()).replaceAll(' rel="noreferrer noopener"', '')
          await route.fulfill({ response, body, headers: { ...response.headers(), 'referrer-policy': policy } })
        })
      await page.goto(issue)
      await page.getByRole('link', { name: 'here' }).click()
      await page.getByRole('button', { name: 'Go' }).waitFor()
      expect(seen[0]?.referer).toEqual(referer)
    })
  })

  test.each([
    { wall: 'up', comments: [] },
    { wall: 'down', comments: ['/approve'] },
  ])('a form that a port of an agent serves, with the wall $wall, leaves $comments', async ({ wall, comments }) => {
    await withNeighbour(async (page, { forge, issue }) => {
      const { origin } = new URL(forge.url)
      if (wall === 'down')
        await page.route(`${issue}/comment`, async (route) =>
          route.fulfill({ response: await route.fetch({ headers: { ...route.request().headers(), origin } }) }),
        )
      await page.goto(issue)
      await page.getByRole('link', { name: 'here' }).click()
      await page.getByRole('button', { name: 'Go' }).click()
      await page
        .getByText(wall === 'up' ? 'This form was not sent from a page of the forge.' : 'Who did what')
        .waitFor()
      expect(commentsIn(forge)).toEqual(comments)
    })
  })
})
