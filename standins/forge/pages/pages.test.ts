import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Dialect } from '../store/records.ts'
import { renderMarkdown } from './markdown.ts'
import { asksAgain, planMark } from './thread.ts'
import { withForge, type ForgeFixture } from '../testing/fixture.ts'

const keys = { maintainer: 'a1'.repeat(20), reader: 'b2'.repeat(20), stranger: 'c3'.repeat(20) } as const
type Person = keyof typeof keys
const persons = Object.entries(keys).map(([login, key]) => ({ login, key }))
const repository = { labels: [{ name: 'platform' }, { name: 'bug' }] }

/** As the platform writes it (cli/commands/work/approve.test.ts). */
const shownPlan = (text: string): string => `${text}\n\n${planMark}`

interface Browser {
  readonly forge: ForgeFixture['forge']
  readonly fixture: ForgeFixture
  /** Of the dialect: the path of a thread. */
  readonly at: (kind: 'issue' | 'pull', number?: number | 'new') => string
  get(person: Person, path?: string): Promise<Shown>
  /** As a page of the forge sends it: what is given replaces what its form has. */
  post(
    person: Person,
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Shown>
}

interface Shown {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

async function browse(
  dialect: Dialect,
  use: (browser: Browser) => Promise<void>,
  git: 'memory' | 'process' = 'memory',
): Promise<void> {
  const of = dialect === 'gitlab' ? { name: 'library', dialect } : {}
  await withForge({ git, people: persons, repository: { ...repository, ...of } }, async (fixture) => {
    const { forge } = fixture
    const names =
      dialect === 'gitlab' ? { issue: '-/issues', pull: '-/merge_requests' } : { issue: 'issues', pull: 'pull' }
    const ask = async (address: string, init: RequestInit = {}): Promise<Shown> => {
      const answer = await fetch(address, { redirect: 'manual', ...init })
      return { status: answer.status, text: await answer.text(), headers: answer.headers }
    }
    await use({
      forge,
      fixture,
      at: (kind, number) => ['acme/library', names[kind], ...(number === undefined ? [] : [number])].join('/'),
      get: (person, path) => ask(forge.pageOf(keys[person], path)),
      post: (person, path, form, headers = {}) =>
        ask(forge.pageOf(keys[person], path), {
          method: 'POST',
          body: new URLSearchParams(form),
          headers: { origin: forge.url, ...headers },
        }),
    })
  })
}

function hidden(page: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
}

test.each(['github', 'gitlab'] as const)(
  'at %s a person opens an issue with its label, comments, approves, labels, closes and reopens',
  async (dialect) => {
    await browse(dialect, async ({ forge, at, get, post }) => {
      const start = await get('maintainer')
      expect(start.text).toContain('acme/library')
      expect(start.text).toContain('You are <b>maintainer</b>')
      expect((await get('maintainer', at('issue', 'new'))).text).toContain('name="label[]" value="platform"')
      const opened = await post('maintainer', at('issue', 'new'), {
        title: 'Add mul',
        body: 'We *need* it.',
        'label[]': 'platform',
      })
      expect(opened.status).toBe(303)
      expect(opened.headers.get('location')).toBe(new URL(forge.pageOf(keys.maintainer, at('issue', 1))).pathname)
      expect(forge.issue('acme/library', 1).labels.map(({ name }) => name)).toEqual(['platform'])
      expect((await get('reader', at('issue'))).text).toContain('Add mul')

      await post('reader', at('issue', 1), {})
      await post('reader', `${at('issue', 1)}/comment`, { body: 'one\r\ntwo' })
      const page = await get('maintainer', at('issue', 1))
      expect(page.text).toContain('We <em>need</em> it.')
      const stale = hidden(page.text, 'seen')
      forge.comment('bot', 'acme/library', 1, shownPlan('A newer plan'))
      const refused = await post('maintainer', `${at('issue', 1)}/approve`, { seen: stale })
      expect(refused.status).toBe(409)
      expect(refused.text).toContain('Nothing is approved')
      expect(refused.text).toContain('A newer plan')
      expect(
        (await post('maintainer', `${at('issue', 1)}/approve`, { seen: hidden(refused.text, 'seen') })).status,
      ).toBe(303)
      const bodies = [...forge.issue('acme/library', 1).comments.values()].map(({ body }) => body)
      expect(bodies).toEqual(['one\ntwo', shownPlan('A newer plan'), dialect === 'gitlab' ? 'approve' : '/approve'])

      await post('maintainer', `${at('issue', 1)}/label`, { remove: 'platform' })
      await post('maintainer', `${at('issue', 1)}/label`, { add: 'bug' })
      expect(forge.issue('acme/library', 1).labels.map(({ name }) => name)).toEqual(['bug'])
      for (const state of ['closed', 'open']) {
        await post('maintainer', `${at('issue', 1)}/state`, { state })
        expect(forge.issue('acme/library', 1).state).toBe(state)
      }
      const { text } = await get('maintainer', at('issue', 1))
      for (const action of ['issue.open', 'comment.create', 'label.remove', 'issue.close', 'issue.reopen'])
        expect(text).toContain(action)
    })
  },
)

test.each(['github', 'gitlab'] as const)(
  'at %s Approve is of a plan that the platform shows and nobody has approved, and a newer plan asks again',
  async (dialect) => {
    await browse(dialect, async ({ forge, at, get, post }) => {
      const issue = at('issue', 1)
      forge.openIssue('reader', 'acme/library', { title: 'Add mul' })
      forge.comment('reader', 'acme/library', 1, shownPlan('Of a reader'))
      expect((await get('maintainer', issue)).text).not.toContain('>Approve<')
      const { id } = forge.comment('bot', 'acme/library', 1, shownPlan('One'))
      const browsers = [await get('maintainer', issue), await get('maintainer', issue)]
      const approve = ({ text }: Shown): Promise<Shown> =>
        post('maintainer', `${issue}/approve`, { seen: hidden(text, 'seen') })
      const [first, second] = [await approve(browsers[0]!), await approve(browsers[1]!)]
      expect([first.status, second.status]).toEqual([303, 409])
      expect(second.text).toContain('maintainer has approved the plan that stands here')
      for (const { text } of [second, await get('maintainer', issue)]) {
        expect(text).not.toContain('>Approve<')
        expect(text).toContain('maintainer has approved the plan above')
      }
      const more = forge.issue('acme/library', 1).comments.size
      forge.comment('maintainer', 'acme/library', 1, '/hold')
      expect((await get('maintainer', issue)).text).toContain('>Approve<')
      await approve(await get('maintainer', issue))
      expect(forge.issue('acme/library', 1).comments.size).toBe(more + 2)
      forge.comment('bot', 'acme/library', 1, `A maintainer can ${asksAgain}/approve\` on this issue.`)
      expect((await get('maintainer', issue)).text).toContain('>Approve<')
      await approve(await get('maintainer', issue))
      forge.comment('bot', 'acme/library', 1, '/hold')
      expect((await get('maintainer', issue)).text).not.toContain('>Approve<')
      forge.editComment('bot', 'acme/library', id, shownPlan('Two'))
      expect((await get('maintainer', issue)).text).toContain('>Approve<')
    })
  },
)

test('an address without a key, or with an old one, asks a browser which person it is, and tells of nothing', async () => {
  await browse('github', async ({ forge, at, fixture }) => {
    forge.openIssue('reader', 'acme/library', { title: 'Add mul' })
    const old = forge.pageOf('d4'.repeat(20), at('issue', 1))
    const addresses = ['/', `/${at('issue', 1)}`, `/${at('issue', 2)}`].map((path) => `${forge.url}${path}`)
    const pages = await Promise.all(
      [...addresses, old].map(async (address) => {
        const page = await fetch(address, { headers: { accept: 'text/html,*/*' } })
        return [page.status, page.headers.get('content-security-policy'), await page.text()] as const
      }),
    )
    expect(new Set(pages.map((page) => page.join('\n'))).size).toBe(1)
    const [status, policy, text] = pages[0]!
    expect([status, policy]).toEqual([404, expect.stringContaining("default-src 'none'")])
    expect(text).toContain('<code>statewright open</code> prints them')
    expect(text).not.toMatch(/href|<form|Add mul/)
    for (const key of Object.values(keys)) expect(text).not.toContain(key)
    expect(await (await fetch(old)).text()).toBe('Not Found\n')
    expect((await fetch(addresses[1]!)).headers.get('content-type')).toContain('application/json')
    const posted = await fetch(addresses[1]!, { method: 'POST', headers: { accept: 'text/html' } })
    expect(posted.headers.get('content-type')).toContain('application/json')
    expect(fixture.forge.issue('acme/library', 1).comments.size).toBe(0)
  })
})

test.each(['github', 'gitlab'] as const)(
  'at %s a merge request shows diff, checks and reviews, and takes a review with a comment on a line',
  async (dialect) => {
    await browse(dialect, async ({ forge, fixture, at, get, post }) => {
      forge.openIssue('reader', 'acme/library', { title: 'The issue' })
      const folder = await fixture.clone('bot')
      const sha = await fixture.push(folder, 'mul', { 'src/<b>.js': 'one\ntwo\n' })
      const { number } = await forge.openPull('bot', 'acme/library', {
        title: 'Add mul',
        body: '',
        head: 'mul',
        base: 'main',
      })
      forge.addCheck('bot', 'acme/library', {
        name: 'lint',
        sha,
        conclusion: 'failure',
        output: { title: 'Broken', summary: '<i>no</i>' },
      })
      expect((await get('reader', at('pull').replace(/pull$/, 'pulls'))).text).toContain('Add mul')
      const page = await get('maintainer', at('pull', number))
      for (const text of [
        'src/&lt;b&gt;.js',
        '<div class="added">+two</div>',
        'lint',
        'Broken',
        '&lt;i&gt;no&lt;/i&gt;',
      ])
        expect(page.text).toContain(text)
      const form = {
        commit: hidden(page.text, 'commit'),
        review: 'Mind this.',
        path: 'src/<b>.js',
        line: '2',
        words: 'Why two?',
        event: 'REQUEST_CHANGES',
      }
      const refused = await post('maintainer', `${at('pull', number)}/review`, { ...form, line: '9' })
      expect(refused.status).toBe(422)
      for (const text of ['The diff does not show src/&lt;b&gt;.js:9', 'Mind this.', 'Why two?'])
        expect(refused.text).toContain(text)
      expect(
        (await post('maintainer', `${at('pull', number)}/review`, { ...form, commit: '0'.repeat(40) })).status,
      ).toBe(409)
      expect((await post('maintainer', `${at('pull', number)}/review`, form)).status).toBe(303)
      const after = (await get('reader', at('pull', number))).text
      for (const text of ['requested changes', 'Why two?', 'review.create']) expect(after).toContain(text)
      expect(after).not.toContain('The issue')
    })
  },
)

test('what people type stays when the store or the form refuses it, and the page says why', async () => {
  await browse('github', async ({ forge, at, get, post }) => {
    forge.openIssue('maintainer', 'acme/library', { title: 'Mine' })
    const refusals = [
      [at('issue', 'new'), { title: ' ', body: 'kept text' }, 422, 'There must be a title.'],
      [
        at('issue', 'new'),
        { title: 'x'.repeat(257), body: 'kept text' },
        422,
        'The title is longer than 256 characters.',
      ],
      [
        at('issue', 'new'),
        { body: 'kept text', other: '1' },
        400,
        'The form is refused: other is not a known field; title is required.',
      ],
      [
        `${at('issue', 1)}/comment`,
        { body: `kept text${'x'.repeat(65_536)}` },
        422,
        'The body is longer than 65536 characters.',
      ],
      [`${at('issue', 1)}/state`, { state: 'closed' }, 403, 'You may not do this in this repository.'],
      [`${at('issue', 1)}/label`, { add: 'bug' }, 403, 'You may not do this in this repository.'],
      [`${at('issue', 1)}/nothing`, {}, 404, 'There is no such page'],
      [`${at('issue', 9)}/comment`, { body: 'x' }, 404, 'There is no such page'],
    ] as const
    for (const [path, form, status, sentence] of refusals) {
      const answer = await post('stranger', path, form)
      expect([path, answer.status]).toEqual([path, status])
      expect(answer.text).toContain(sentence)
      if ('body' in form && status !== 404) expect(answer.text).toContain('kept text')
    }
    expect((await get('stranger', 'acme/nothing')).status).toBe(404)
    expect(forge.issues('acme/library')).toHaveLength(1)
  })
})

test('titles, texts, names and control characters are text; no script, image or foreign link comes of them', async () => {
  await browse('github', async ({ forge, at, get }) => {
    const hostile = '<script>alert(1)</script>"\'><img src=http://x/> \u202etxt \u0007'
    const body = [
      hostile,
      '[a](javascript:alert(1)) [b](data:text/html,x) ![c](http://x/y.png)',
      `[d](${forge.url}/acme/library/issues/1)`,
      '<code>open',
      '<details><summary>Plan <code>1a</code></summary>',
      '</details>',
      '<!-- platform:key -->',
    ].join('\n\n')
    forge.openIssue('stranger', 'acme/library', { title: hostile, body })
    for (const path of [at('issue'), at('issue', 1)]) {
      const { text, headers } = await get('maintainer', path)
      expect(text).not.toMatch(/<script|<img|href="(?:javascript|data)|[\u202e\u0007]|<!--|<code>open/)
      expect(text).toContain('\\u202etxt')
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      )
      expect(headers.get('set-cookie')).toBeNull()
      expect(['referrer-policy', 'cache-control', 'x-content-type-options'].map((name) => headers.get(name))).toEqual([
        'same-origin',
        'no-store',
        'nosniff',
      ])
    }
    const { text } = await get('maintainer', at('issue', 1))
    expect(text).toContain(`href="/as/${keys.maintainer}/acme/library/issues/1"`)
    expect(text).toContain('<summary>Plan <code>1a</code></summary>')
  })
})

test.each([' ', '\n', ' \n', '<!-- platform:a -->', '>', '[', '*a _', '`', '<', '<code>', '| a '])(
  'a text of a megabyte of %j is shown before a person goes away',
  (piece) => {
    const text = `${piece.repeat(1_000_000 / piece.length)}x`
    expect(renderMarkdown(text, { origin: 'http://forge', base: '/as/k' }).text).toContain('x')
  },
  60_000,
)

test('a form counts only from a page of the forge itself, and only below a key that it knows', async () => {
  await browse('github', async ({ forge, at, get, post, fixture }) => {
    forge.openIssue('reader', 'acme/library', { title: 'One' })
    const path = `${at('issue', 1)}/comment`
    const { host, port } = new URL(forge.url)
    for (const origin of [
      'null',
      'http://127.0.0.1',
      `http://localhost:${port}`,
      `https://${host}`,
      `http://127.0.0.1:${Number(port) - 1}`,
      '',
    ]) {
      expect((await post('maintainer', path, { body: 'x' }, { origin })).status).toBe(403)
    }
    const withoutOrigin = await fetch(forge.pageOf(keys.maintainer, path), {
      method: 'POST',
      body: new URLSearchParams({ body: 'x' }),
    })
    expect(withoutOrigin.status).toBe(403)
    for (const key of ['d4'.repeat(20), 'maintainer', '', keys.maintainer.slice(1), keys.maintainer.toUpperCase()])
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(forge.pageOf(key, at('issue', 1)), { method, headers: { origin: forge.url } })
        expect(answer.status).toBe(404)
        expect(await answer.text()).not.toMatch(/One|acme\/library <|maintainer</)
      }
    expect([...forge.issue('acme/library', 1).comments.values()]).toEqual([])
    expect((await post('maintainer', path, { body: 'control' })).status).toBe(303)
    expect([...forge.issue('acme/library', 1).comments.values()]).toHaveLength(1)

    await get('maintainer', at('issue', 1))
    await forge.close()
    const files = await Promise.all(
      ['audit.jsonl', 'world.json'].map((name) => readFile(join(fixture.dir, 'forge', name), 'utf8')),
    )
    for (const text of [...files, JSON.stringify(forge.audit())])
      for (const key of Object.values(keys)) expect(text).not.toContain(key)
  })
})

test.each(['&#x202e;', '&#8238;', '&rlm;', '&#27;', '&#x2066;'])(
  'the entity %s is shown by the number of its character, in a plan and in a title too',
  (entity) => {
    const rendered = (source: string): string => renderMarkdown(source, { origin: 'http://forge', base: '/as/k' }).text
    for (const source of [`a ${entity}b`, `**${entity}**`, `[${entity}](http://a.org "${entity}")`, `> - ${entity}`])
      expect(rendered(source)).not.toMatch(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\u001b]/)
    expect(rendered(`The plan.\n\n<details><summary>Plan</summary>\n\n1. ${entity}step\n\n</details>`)).not.toMatch(
      /[\u200f\u202e\u2066\u001b]/,
    )
    expect(rendered(`\`${entity}\``)).toContain(entity.replace('&', '&amp;'))
  },
)
