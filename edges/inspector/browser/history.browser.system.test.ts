/** A Task’s page for who was sent a link to one of its steps, however old it is. */
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ActorAddress } from '../../../machines/definition.ts'
import type { Story } from '../../../machines/why/story.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { openFixture, playStory, withPage, type Fixture } from '../testing/fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

describeRequiring('chromium', 'the history of a Task in a browser', () => {
  let browser: Browser
  let fixture: Fixture
  let task: ActorAddress
  let end: () => Promise<void>
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags })
    ;({ fixture, end } = await openFixture())
    task = await playStory(fixture)
    for (let count = 0; count < 320; count += 1) await heard()
  })
  afterAll(async () => {
    await browser.close()
    await end()
  })

  function heard(): Promise<void> {
    return fixture.send(task, { type: 'forge.event', repository: 'lib', number: 7, author: 'mira', kind: 'labeled' })
  }

  async function newest(): Promise<number> {
    return (await fixture.runtime.read(task))!.seq
  }

  /** A page that was sent `link`. */
  const opened = (link: string, use: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) =>
    withPage(browser, options, async (page) => {
      await page.goto(`${fixture.link()}#actor=${task}${link}`)
      await use(page)
    })

  const row = (page: Page, seq: number) => page.getByRole('button', { name: `Show step ${seq}`, exact: true })
  const shown = (page: Page) => page.locator('.history tr.shown button').innerText()
  const facts = (page: Page) => page.getByRole('region', { name: 'Facts' })

  test('a link to a step that is older than the newest hundred opens exactly that step, and its row is in view', async () => {
    await opened('&seq=40', async (page) => {
      await facts(page).getByText('As it was after step 40.').waitFor()
      expect(await shown(page)).toBe('40')
      expect(await page.locator('h2 .since').innerText()).toContain('step 40,')
      await row(page, 40).waitFor()
      const [frame, box] = [await page.locator('.history').boundingBox(), await row(page, 40).boundingBox()]
      expect(box!.y).toBeGreaterThan(frame!.y)
      expect(box!.y + box!.height).toBeLessThan(frame!.y + frame!.height)
      expect(new URL(page.url()).hash).toMatch(/&seq=40$/)
    })
  })

  test('from a step in the middle the history goes on in both directions, by click and by key, without gap or repetition', async () => {
    await opened('&seq=170', async (page) => {
      await row(page, 170).waitFor()
      const seqs = async (): Promise<number[]> =>
        (await page.locator('.history tbody td button').allInnerTexts()).map(Number)
      const before = await seqs()
      await page.getByRole('button', { name: 'Newer', exact: true }).click()
      await expect.poll(async () => (await seqs())[0]).toBeGreaterThan(before[0]!)
      await page.getByRole('button', { name: 'Earlier', exact: true }).click()
      await expect.poll(async () => (await seqs()).at(-1)).toBeLessThan(before.at(-1)!)
      expect(await shown(page)).toBe('170')
      await row(page, 170).focus()
      for (const [key, end] of [
        ['End', 1],
        ['Home', await newest()],
      ] as const) {
        await expect
          .poll(
            async () => {
              await page.keyboard.press(key)
              return Number(await shown(page))
            },
            { timeout: 20_000 },
          )
          .toBe(end)
      }
      const last = await newest()
      expect(await seqs()).toEqual(Array.from({ length: last }, (_, index) => last - index))
      expect(await page.getByRole('button', { name: /^(Newer|Earlier)$/ }).count()).toBe(0)
      expect(new URL(page.url()).hash).not.toContain('seq=')
      await page.keyboard.press('ArrowDown')
      expect(await shown(page)).toBe(`${last - 1}`)
    })
  })

  test('an old step stays while new ones come, and the way back to now leads to the newest', async () => {
    await opened('&seq=60', async (page) => {
      await row(page, 60).waitFor()
      await page.locator('[role=status].open').waitFor()
      const isRead = page.waitForResponse(/\/api\/actor\?/)
      await heard()
      await isRead
      const last = await newest()
      await facts(page).getByText('As it was after step 60.').waitFor()
      expect(await shown(page)).toBe('60')
      await page.getByRole('button', { name: 'Back to now' }).click()
      await row(page, last).waitFor()
      expect(await shown(page)).toBe(`${last}`)
      await page.goBack()
      await facts(page).getByText('As it was after step 60.').waitFor()
      expect(await shown(page)).toBe('60')
    })
  })

  test('the story marks the step that the chart and the history show', async () => {
    await opened('&seq=2&view=story', async (page) => {
      const marked = page.locator('.story li[aria-current=step]')
      await marked.first().waitFor()
      expect(await marked.first().innerText()).toMatch(/step [12], step 2 is shown$/)
      expect(await page.locator('.story .track .step').count()).toBe(await page.locator('.story .track').count())
      await page.getByRole('button', { name: 'show chart' }).click()
      await facts(page).getByText('As it was after step 2.').waitFor()
      expect(await shown(page)).toBe('2')
    })
  })

  test('a story that begins behind the step that is looked at has no mark of it, and says so', async () => {
    const [first] = await fixture.runtime.history(task, { from: 200, limit: 1 })
    await opened('&seq=40', async (page) => {
      await page.route('**/inspector/api/story?**', async (route) => {
        const answer = (await (await route.fetch()).json()) as { readonly story: object }
        const story = { ...answer.story, from: first!.at, cut: { step: 200, isKept: true } }
        await route.fulfill({ json: { ...answer, story } })
      })
      await page.getByRole('button', { name: 'show story' }).click()
      await page.locator('.story').getByText('Step 40 is before this line.').waitFor()
      expect(await page.locator('.story .track .step').count()).toBe(0)
      await page.locator('h2').getByRole('button', { name: 'to the newest' }).click()
      await page.getByText('is before this line').waitFor({ state: 'detached' })
    })
  })

  test('a story that cannot be read says so instead of loading for ever, and keeps what was read before', async () => {
    const sentence = 'The story cannot be read now. The page tries again within 30 seconds.'
    await opened('&view=story', async (page) => {
      await page.locator('.story > h3').waitFor()
      await page.route('**/inspector/api/story?**', (route) => route.fulfill({ body: 'no story' }))
      await heard()
      await page.locator('.story').getByText(sentence).waitFor()
      expect(await page.locator('.story .lane').count()).toBeGreaterThan(2)
      await page.reload()
      await page.getByText(sentence).waitFor()
      expect(await page.getByText('Loading…').count()).toBe(0)
      await page.unroute('**/inspector/api/story?**')
      await heard()
      await page.locator('.story > h3').waitFor()
      expect(await page.getByText(sentence).count()).toBe(0)
    })
  })

  test('on a narrow screen each part says which step it shows, and leads to the newest', async () => {
    const narrow = { viewport: { width: 390, height: 844 } }
    for (const view of ['story', 'chart', 'facts', 'history']) {
      await opened(
        `&seq=50&view=${view}`,
        async (page) => {
          await page.locator('h2', { hasText: 'step 50,' }).waitFor()
          await page.locator('h2').getByRole('button', { name: 'to the newest' }).click()
          await page.locator('h2', { hasText: `step ${await newest()},` }).waitFor()
          expect(await page.locator('h2').getByRole('button', { name: 'to the newest' }).count()).toBe(0)
        },
        narrow,
      )
    }
  })

  test('of a step that does not exist the page says so, keeps the address and offers the newest', async () => {
    await opened('&seq=99999', async (page) => {
      const last = await newest()
      await page.getByText(`There is no step 99999: the newest is step ${last}.`).waitFor()
      expect(new URL(page.url()).hash).toMatch(/&seq=99999$/)
      await page.getByRole('button', { name: 'Show the newest' }).click()
      await page.getByText('There is no step').waitFor({ state: 'detached' })
      expect(new URL(page.url()).hash).not.toContain('seq=')
      expect(await shown(page)).toBe(`${last}`)
    })
  })

  test('the title of the page names the Task with its number, follows what is looked at, and is plain on the board', async () => {
    await opened('&seq=3', async (page) => {
      const title = 'lib#7: Parse durations with 7 units · Statewright'
      await expect.poll(() => page.title(), { timeout: 10_000 }).toBe(title)
      await page.getByRole('link', { name: 'Statewright' }).click()
      await expect.poll(() => page.title(), { timeout: 10_000 }).toBe('Statewright inspector')
      await page.goBack()
      await expect.poll(() => page.title(), { timeout: 10_000 }).toBe(title)
      await page.goto(`${fixture.url}/inspector#actor=issue:default/lib-9`)
      await expect.poll(() => page.title(), { timeout: 10_000 }).toBe(title.replaceAll('7', '9'))
      await page.goto(`${fixture.url}/inspector#actor=queue:default/demo`)
      await expect.poll(() => page.title(), { timeout: 10_000 }).toBe('queue default/demo · Statewright')
    })
  })

  test('a word says which events no state took and which steps failed: no stroke or colour says it alone', async () => {
    await opened('&seq=3', async (page) => {
      await page.route('**/inspector/api/history?**', async (route) => {
        const answer = (await (await route.fetch()).json()) as { readonly items: readonly { readonly seq: number }[] }
        const items = answer.items.map((item) => ({
          ...item,
          ...(item.seq === 2 ? { handled: false } : {}),
          ...(item.seq === 3 ? { fault: 'it throws' } : {}),
        }))
        await route.fulfill({ json: { ...answer, items } })
      })
      await page.reload()
      await page.locator('.history tr.ignored', { hasText: 'no state took it' }).waitFor()
      await page.locator('.history tr.failed', { hasText: 'the step failed' }).waitFor()
      expect(await page.locator('.history tr', { hasText: /no state|step failed/ }).count()).toBe(2)
    })
  })

  test('rows of one event say what tells them apart', async () => {
    await opened('&seq=5', async (page) => {
      const row = (seq: number) => page.locator('.history tr', { has: page.locator(`[aria-label="Show step ${seq}"]`) })
      await row(2).waitFor()
      expect(await row(2).locator('.about').innerText()).toBe('pod 1')
      expect(await row(8).locator('.about').innerText()).toBe('lib#7, labeled, mira')
    })
  })

  test('no line of the history begins with a comma, however long the name of an effect is', async () => {
    await opened('&seq=3', async (page) => {
      await page.route('**/inspector/api/history?**', async (route) => {
        const answer = (await (await route.fetch()).json()) as { readonly items: readonly object[] }
        const effects = ['withdrawEffects', 'mergeMergeRequest', 'answer'].map((type) => ({ type, params: {} }))
        await route.fulfill({ json: { ...answer, items: answer.items.map((item) => ({ ...item, effects })) } })
      })
      await page.reload()
      await row(page, 2).waitFor()
      for (const width of [390, 1100, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        if (width === 390) await page.getByRole('button', { name: 'history', exact: true }).click()
        const begun =
          await page.evaluate<number>(`[...document.querySelectorAll('.history td:last-child')].filter((cell) => {
          const [text] = cell.childNodes
          const top = (index) => {
            const range = document.createRange()
            range.setStart(text, index)
            range.setEnd(text, index + 1)
            return range.getBoundingClientRect().top
          }
          return [...text.data.matchAll(/,/g)].some(({ index }) => top(index) > top(index - 1))
        }).length`)
        expect(begun, `at ${width} px`).toBe(0)
      }
    })
  })

  test('commands in what would move a Task, in its title and in its story are code, without their backticks', async () => {
    await opened('&view=story', async (page) => {
      const standing = { tone: 'asks', sign: '?', word: 'waits', owner: 'maintainer' }
      const words = { reason: 'the plan waits for `/approve`', next: 'a maintainer writes `/approve`' }
      await page.route('**/inspector/api/actor?**', async (route) => {
        const answer = (await (await route.fetch()).json()) as object
        await route.fulfill({ json: { ...answer, standing: { ...standing, ...words }, hindrance: 'see `status`' } })
      })
      await page.route('**/inspector/api/story?**', async (route) => {
        const answer = (await (await route.fetch()).json()) as { readonly record: object; readonly story: Story }
        const [waits, ...lanes] = answer.story.lanes
        const bars = waits!.bars.map((bar) => ({ ...bar, text: 'waits for `/retry`' }))
        const story = { ...answer.story, lanes: [{ ...waits, bars }, ...lanes] }
        const record = { ...answer.record, title: 'Fix `npm test`' }
        await route.fulfill({ json: { ...answer, story, record } })
      })
      await page.reload()
      await page.locator('.story > h3', { hasText: 'Fix npm test' }).waitFor()
      const shown = async (place: string): Promise<readonly string[]> => {
        expect(await page.locator(place).innerText()).not.toContain('`')
        return page.locator(place).locator('code').allInnerTexts()
      }
      expect(await shown('.facts .standing')).toEqual(['/approve', '/approve'])
      expect(await shown('.facts .fault')).toEqual(['status'])
      expect(await shown('.story > h3')).toEqual(['npm test'])
      expect(new Set(await shown('.lane >> nth=0'))).toEqual(new Set(['/retry']))
    })
  })

  test('the head of an actor does not jump when its last step gets older', async () => {
    await opened('', async (page) => {
      // The server's line has the server's time.
      await page.routeWebSocket(/.*/, () => undefined)
      await page.clock.install()
      await page.reload()
      const button = page.getByRole('button', { name: 'show story' })
      await button.waitFor()
      const widths = Array.from({ length: 16 }, (_, index) => 1030 + 20 * index)
      const places = async (): Promise<readonly (number | undefined)[]> => {
        const found = []
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 })
          found.push((await button.boundingBox())?.y)
        }
        return found
      }
      const young = await places()
      await page.clock.fastForward(671_000)
      await page.locator('h2 .since', { hasText: /\d\d min/ }).waitFor()
      expect(await places()).toEqual(young)
    })
  })

  test('in a history beside the chart no short word is cut within', async () => {
    await opened('&seq=5', async (page) => {
      await row(page, 2).waitFor()
      const cut = await page.evaluate<
        readonly string[]
      >(`[...document.querySelectorAll('.history td span')].flatMap((part) => {
        const range = document.createRange()
        const [text] = part.childNodes
        return [...text.data.matchAll(/\\w{1,12}/g)].filter(({ index, 0: { length } }) => {
          range.setStart(text, index)
          range.setEnd(text, index + length)
          return range.getClientRects().length > 1
        }).map(([word]) => word)
      })`)
      expect(cut).toEqual([])
    })
  })

  /** In the page: words of an axis that touch or leave it, and those of a bar that are cut. */
  const cutWords = `(() => {
    const box = (part) => part.getBoundingClientRect()
    const [axis, ticks] = [document.querySelector('.axis'), [...document.querySelectorAll('.axis time')]]
    const ofTicks = ticks.filter((tick, index) => box(tick).right + 4 > box(ticks[index + 1] ?? axis)[ticks[index + 1] ? 'left' : 'right'])
    const words = [...document.querySelectorAll('.bar')].flatMap((bar) => {
      const walk = document.createTreeWalker(bar, NodeFilter.SHOW_TEXT)
      const found = []
      while (walk.nextNode()) {
        const range = document.createRange()
        range.selectNodeContents(walk.currentNode)
        found.push([bar, range])
      }
      return found
    })
    const ofBars = words.filter(([bar, range]) => box(range).top < box(bar).bottom - 1 && box(range).right > box(bar).right + 0.5)
    return [...ofTicks.map((tick) => tick.innerText), ...ofBars.map(([, range]) => String(range))]
  })()`

  test('on a short story no two ticks are alike or overlap, and words that a bar has no place for are whole or on hover', async () => {
    await opened('&view=story', async (page) => {
      await page.locator('.bar').first().waitFor()
      expect(await page.locator('.times').innerText()).toContain('since it was asked for')
      for (const width of [390, 1440, 2560]) {
        await page.setViewportSize({ width, height: 900 })
        expect(await page.evaluate(cutWords), `at ${width} px`).toEqual([])
        const labels = await page.locator('.axis time').allInnerTexts()
        expect([labels[0], new Set(labels).size]).toEqual(['start', labels.length])
        expect(labels.length).toBeGreaterThan(1)
      }
      const bars = page.locator('.bar')
      const titles = await bars.evaluateAll((all) => all.map((bar) => bar.getAttribute('title')))
      expect(titles.filter((title) => !/^\S.*: .*\d.*from /.test(title ?? ''))).toEqual([])
      const seen = bars.filter({ hasText: 'working' }).locator('span').last()
      expect(await seen.isVisible()).toBe(true)
    })
  })

  test('the story has what `why` has of the Task: the shortest way to delivered, and what it cost', async () => {
    await opened('&view=story', async (page) => {
      const way = page.locator('.story .way')
      await way.getByText('The shortest way to delivered').waitFor()
      expect(await way.locator('li').last().innerText()).toBe('forge merges the merge request in lib → delivered')
      const rows = page.locator('.story dl div')
      expect(await rows.allInnerTexts()).toEqual(['cost\n1 turn, 42,000 tokens, about 0.30 USD so far'])
    })
  })

  test('while nothing happens, the total of the story and the share of whom it waits for go on', async () => {
    await opened('&view=story', async (page) => {
      const total = page.locator('.times b').first()
      await total.waitFor()
      const isRead: string[] = []
      page.on('request', (request) => isRead.push(new URL(request.url()).pathname))
      const [before, bar] = [await total.innerText(), await page.locator('.shares li').first().innerText()]
      await expect.poll(() => total.innerText(), { timeout: 20_000 }).not.toBe(before)
      await expect.poll(() => page.locator('.shares li').first().innerText(), { timeout: 20_000 }).not.toBe(bar)
      expect(isRead.filter((path) => path.endsWith('/story'))).toEqual([])
    })
  })

  test('the story says for whose plan an approval counts, and which plan is the newest', async () => {
    const granted = { type: 'approval.granted', issue: 'default/lib-7', self: false }
    await fixture.send(task, { ...granted, planHash: 'sha256:00aa11bb22cc' })
    await fixture.send(task, { ...granted, planHash: 'p1' })
    await opened('&view=story', async (page) => {
      const cards = page.locator('.story .card h4')
      await cards.filter({ hasText: 'plan p1 by implement pod 1' }).waitFor()
      await cards.filter({ hasText: 'lib#7: granted, for plan p1 of implement pod 1 ' }).waitFor()
      await cards.filter({ hasText: 'lib#7: granted, for plan 00aa11bb, which is not the newest ' }).waitFor()
    })
  })

  test('of a step that retention took the page says from which step on the history is kept', async () => {
    await fixture.sql.query("update event set body = '' where actor = $1 and seq < 30", [task])
    await opened('&seq=12', async (page) => {
      await page.getByText('Step 12 is no longer kept: the history begins with step 30.').waitFor()
      await row(page, 30).waitFor()
      expect(new URL(page.url()).hash).toMatch(/&seq=12$/)
      expect(await page.getByRole('button', { name: 'Earlier' }).count()).toBe(0)
      await row(page, 30).click()
      await facts(page).getByText('As it was after step 30.').waitFor()
    })
  })
})
