/**
 * The page over 100,000 actors and a history of 5,000 steps, both of the simulation's making: `npm run test:inspector`. Elsewhere it
 * is skipped: filling the store takes half a minute.
 */
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openFixture, type Fixture } from '../../edges/inspector/testing/fixture.ts'
import { migrate, runtimeMigrations } from '../../runtime/store/migrate.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { indexSearch } from '../../runtime/store/postgres/search-index.ts'
import { startPostgres, type PostgresServer } from '../kit/postgres-server.ts'
import { fill, lengthen, livedBy } from './many.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 })

const actors = 100_000
const steps = 5000
const firstRows = 10

describe.runIf(process.env['STATEWRIGHT_LARGE'] === 'yes')('the inspector over many actors', () => {
  let server: PostgresServer
  let browser: Browser
  let fixture: Fixture
  let long: string
  let end: () => Promise<void>

  beforeAll(async () => {
    const lived = await livedBy([1, 2, 3, 4, 5, 6])
    server = await startPostgres()
    await server.create('large')
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
    const open = async (): ReturnType<typeof openPgSql> => {
      const sql = await openPgSql({ url: server.url('large') })
      await migrate(sql, [runtimeMigrations])
      await fill(sql, lived, actors)
      await indexSearch(sql)
      long = await lengthen(sql, lived, steps)
      return sql
    }
    ;({ fixture, end } = await openFixture(open))
  })
  afterAll(async () => {
    await end()
    await browser.close()
    await server.stop()
  })

  async function withPage(hash: string, use: (page: Page) => Promise<void>): Promise<void> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(`${fixture.link()}${hash}`)
    await use(page)
    await page.close()
    expect(errors).toEqual([])
  }

  const rows = (page: Page) => page.locator('.actors .actor .id')
  const search = (page: Page, word: string): Promise<void> => page.getByRole('searchbox').fill(word)

  test('the list begins with some of each kind, and reads more of one without a repeat while actors move', async () => {
    await withPage('', async (page) => {
      await rows(page).nth(firstRows).waitFor()
      const group = page.locator('.actors details', { has: page.locator('summary', { hasText: /^turn/ }) })
      expect(await group.locator('.count').innerText()).toBe('1,000+')
      expect(await group.locator('.actor').count()).toBe(firstRows)
      await group.getByRole('button', { name: 'More' }).click()
      await group.locator('.actor').nth(firstRows).waitFor()
      const facts = { number: 1, repository: 'lib', project: 'default/demo', title: 'It moves', state: 'open' }
      await fixture.send('issue:default/aaa-1', { type: 'issue.observed', facts })
      await group.getByRole('button', { name: 'More' }).click()
      await group
        .locator('.actor')
        .nth(2 * 100)
        .waitFor()
      const ids = await group.locator('.actor .id').allTextContents()
      expect(ids).toEqual([...new Set(ids)].toSorted())
    })
  })

  test('a word finds the one of 100,000 that has it, and a filter leaves those of its name', async () => {
    await withPage('', async (page) => {
      await rows(page).nth(firstRows).waitFor()
      await search(page, 'library-1-s1-c0300')
      await expect.poll(() => rows(page).allTextContents(), { timeout: 30_000 }).toEqual(['default/library-1-s1-c0300'])
      await search(page, 'nobodywritesthis')
      await page.locator('.actors').getByText('Nothing matches').waitFor()
      await page.goto(`${fixture.url}/inspector#kind=issue&repository=handbook&q=c0300`)
      await page.reload()
      await expect
        .poll(async () => (await rows(page).allTextContents()).filter((id) => /handbook-.*c0300/.test(id)).length)
        .toBeGreaterThan(0)
    })
  })

  test('a history of 5,000 steps opens at its end and goes back page by page; a link shows a step of its first page, and the story its bound', async () => {
    await withPage(`#actor=${long}&view=history`, async (page) => {
      const shown = page.locator('.history tbody tr')
      await page.getByRole('button', { name: 'Earlier' }).waitFor()
      expect(await shown.count()).toBe(100)
      const newest = Number(await shown.first().locator('button').innerText())
      await page.getByRole('button', { name: 'Earlier' }).click()
      await shown.nth(199).waitFor()
      expect(Number(await shown.nth(199).locator('button').innerText())).toBe(newest - 199)
      await page.goto(`${fixture.url}/inspector#actor=${long}&seq=${newest - 50}`)
      await page.reload()
      await page.locator('.canvas .state.active').first().waitFor()
      await page
        .getByText(`step ${newest - 50}`)
        .first()
        .waitFor()
      await page.goto(`${fixture.url}/inspector#actor=${long}&view=story`)
      await page
        .getByText(/step 3001: earlier steps are too many/)
        .first()
        .waitFor()
    })
  })

  /** They are for people: STATEWRIGHT_PICTURES names the folder. */
  test.runIf(process.env['STATEWRIGHT_PICTURES'])('each view has its pictures', async () => {
    const folder = process.env['STATEWRIGHT_PICTURES'] ?? ''
    const views = ['story', 'facts', 'history'].map((view) => [view, `#actor=${long}&view=${view}`] as const)
    for (const [view, hash] of [
      ['board', ''],
      ['list', '#view=actors'],
      ['chart', `#actor=${long}`],
      ...views,
    ] as const)
      for (const width of [390, 1440, 2560])
        for (const colorScheme of ['light', 'dark'] as const) {
          const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
          await page.goto(`${fixture.link()}${hash}`)
          await page.locator('[role=status].open').waitFor()
          await page.waitForLoadState('networkidle')
          await page.screenshot({ path: join(folder, `${view}-${width}-${colorScheme}.png`) })
          await page.close()
        }
  })
})
