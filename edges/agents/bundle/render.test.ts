import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { showInvisible } from '../../../machines/rules/quote.ts'
import { bytesOf, escapeText } from './escape.ts'
import { fillComments, type FillThread } from './fill.ts'
import type { BundleComment, BundleInput, BundleThread } from './input.ts'
import { renderBundle } from './render.ts'
import { budgetOf } from './size.ts'
import { tokensAtMost } from './tokens.ts'

const roomy = { maxBytes: 400_000, eventsInside: true }

function aComment(n: number, body = `comment ${n}`): BundleComment {
  return { externalId: String(1000 + n), author: 'maint', at: Date.UTC(2026, 10, 21, 9, n), bot: false, body }
}

function anIssue(change: Partial<BundleThread> = {}): BundleThread {
  return {
    repository: 'lib',
    number: 7,
    state: 'open',
    status: 'refined',
    url: 'http://forge/acme/lib/issues/7',
    title: 'Fails on <empty> input',
    author: 'rita',
    body: 'It throws & dies.',
    comments: [aComment(1), aComment(2)],
    ...change,
  }
}

const ofSizes = (sizes: readonly number[]): FillThread => ({
  count: sizes.length,
  render: (nth) => 'x'.repeat(sizes[nth] ?? 0),
})

function aBundle(change: Partial<BundleInput> = {}): BundleInput {
  return {
    task: 'implement-lib-7-abcde',
    kind: 'implement',
    stage: 'implementing',
    agent: 'implement',
    project: 'demo',
    issues: [anIssue()],
    mergeRequests: [],
    events: [],
    notes: [],
    notesTotal: 0,
    earlier: [],
    ...change,
  }
}

describe('the bundle', () => {
  it('reads each body a few times, however many threads give way', () => {
    const threads = 200
    let reads = 0
    const issues = Array.from({ length: threads }, (_, n) => ({
      ...anIssue({ number: n + 1 }),
      get body() {
        reads += 1
        return 'b'.repeat(5000)
      },
    }))
    expect(renderBundle(aBundle({ issues }), { ...roomy, maxBytes: 20_000 }).squeezed).toBe(true)
    expect(reads).toBeLessThan(threads * 12)
  })

  it('is rendered byte for byte as the contract gives it (BUNDLE-8, BUNDLE-9) (BUNDLE-6, BUNDLE-8, BUNDLE-9, BUNDLE-11, BUNDLE-13)', () => {
    expect(renderBundle(aBundle(), roomy).text).toBe(
      `<task_context task="implement-lib-7-abcde" kind="implement" stage="implementing" agent="implement" project="demo">
<issue repo="lib" number="7" state="open" status="refined" url="http://forge/acme/lib/issues/7">
<title>Fails on &lt;empty&gt; input</title>
<author>rita</author>
<body>It throws &amp; dies.</body>
<comments total="2" rendered="2" elided="0">
<comment author="maint" at="2026-11-21T09:01Z" bot="false" external_id="1001">comment 1</comment>
<comment author="maint" at="2026-11-21T09:02Z" bot="false" external_id="1002">comment 2</comment>
</comments>
</issue>
</task_context>
`,
    )
  })

  it('orders issues, merge requests, events and notes, and leaves out sections that are empty (BUNDLE-4, BUNDLE-5, BUNDLE-7)', () => {
    const mr = {
      ...anIssue({ number: 9, comments: [] }),
      ci: 'success',
      mergeable: 'true',
      headBranch: 'platform/x',
      headSha: 'abc',
    }
    const { text } = renderBundle(
      aBundle({
        issues: [anIssue({ number: 12 }), anIssue({ number: 3 })],
        mergeRequests: [mr],
        events: [{ kind: 'issue_comment', repository: 'lib', number: 3, author: 'maint', at: 0 }],
        notes: [{ agent: 'implement', at: 0, kind: 'plan', source: 'agent', body: 'do it' }],
        notesTotal: 4,
      }),
      roomy,
    )
    const order = [
      'number="3"',
      'number="12"',
      '<merge_request',
      '<events count="1"',
      '<notes total="4" rendered="1" elided="3"',
    ]
    expect(order.map((mark) => text.indexOf(mark))).toEqual(
      order.map((mark) => text.indexOf(mark)).toSorted((a, b) => a - b),
    )
    expect(order.every((mark) => text.includes(mark))).toBe(true)
    expect(text).toContain('fetch="task_context(task=implement-lib-7-abcde, notes=all)"')
    expect(renderBundle(aBundle(), roomy).text).not.toContain('<notes')
  })

  it('writes a merge request with its head, and its comments with their place (BUNDLE-10, BUNDLE-14)', () => {
    const inline = { ...aComment(1), path: 'src/a.ts', line: 3 }
    const comments = [inline, { ...aComment(2), path: 'src/a.ts', line: 3, inReplyTo: '1001' }, aComment(3)]
    const head = { ci: 'success', mergeable: 'true', headBranch: 'platform/x', headSha: 'abc' }
    const url = 'http://forge/acme/lib/pull/9'
    const mr = { ...anIssue({ number: 9, status: 'review', url, comments }), ...head }
    const at = (minute: string): string => `at="2026-11-21T09:${minute}Z" bot="false"`
    expect(
      renderBundle(aBundle({ issues: [], mergeRequests: [mr] }), roomy)
        .text.split('\n')
        .slice(1, -2),
    ).toEqual([
      `<merge_request repo="lib" number="9" state="open" status="review" ci="success" mergeable="true" head_branch="platform/x" head_sha="abc" url="${url}">`,
      '<title>Fails on &lt;empty&gt; input</title>',
      '<author>rita</author>',
      '<body>It throws &amp; dies.</body>',
      '<comments total="3" rendered="3" elided="0">',
      `<comment author="maint" ${at('01')} external_id="1001" path="src/a.ts" line="3">comment 1</comment>`,
      `<comment author="maint" ${at('02')} external_id="1002" path="src/a.ts" line="3" in_reply_to="1001">comment 2</comment>`,
      `<comment author="maint" ${at('03')} external_id="1003">comment 3</comment>`,
      '</comments>',
      '</merge_request>',
    ])
  })

  it('writes a note with its agent, time, kind and source (BUNDLE-16)', () => {
    const at = Date.UTC(2026, 10, 21, 9, 7)
    const notes = [
      { agent: 'implement', at, kind: 'plan', source: 'agent' as const, body: 'do <it>' },
      { agent: 'review', at, kind: 'handoff', source: 'operator' as const, body: 'lost' },
    ]
    expect(
      renderBundle(aBundle({ issues: [], notes, notesTotal: 2 }), roomy)
        .text.split('\n')
        .slice(1, -2),
    ).toEqual([
      '<notes total="2" rendered="2" elided="0">',
      '<note agent="implement" at="2026-11-21T09:07Z" kind="plan" source="agent">do &lt;it&gt;</note>',
      '<note agent="review" at="2026-11-21T09:07Z" kind="handoff" source="operator">lost</note>',
      '</notes>',
    ])
  })

  it('names whose hands wrote a comment over (BUNDLE-22)', () => {
    const comments = [{ ...aComment(1), editedBy: 'carl' }, aComment(2)]
    const { text } = renderBundle(aBundle({ issues: [anIssue({ comments })] }), roomy)
    expect(text).toContain('<comment author="maint" edited_by="carl" at="2026-11-21T09:01Z" bot="false"')
    expect(text).toContain('<comment author="maint" at="2026-11-21T09:02Z" bot="false"')
  })

  it('shows the newest comments and names the call for the rest (BUNDLE-12, BUNDLE-BUDGET-10, BUNDLE-BUDGET-12)', () => {
    const comments = Array.from({ length: 50 }, (_, n) => aComment(n, `${n} ${'x'.repeat(2000)}`))
    const { text } = renderBundle(aBundle({ issues: [anIssue({ comments })] }), { ...roomy, maxBytes: 50_000 })
    expect(text).toContain('>49 x')
    expect(text).not.toContain('>3 x')
    expect(text).toContain('fetch="scm_read(kind=comments, repo=lib, number=7)"')
    expect(bytesOf(text)).toBeLessThanOrEqual(50_000)
  })

  it('under pressure gives up notes first, then bodies, and says how much of a body is there (BUNDLE-BUDGET-5, BUNDLE-BUDGET-6, BUNDLE-BUDGET-7, BUNDLE-RULE-2)', () => {
    const notes = Array.from({ length: 5 }, (_, n) => ({
      agent: 'implement',
      at: n,
      kind: 'note',
      source: 'agent' as const,
      body: 'n'.repeat(3000),
    }))
    const issues = [anIssue({ body: 'b'.repeat(60_000), comments: [] })]
    const { text, squeezed } = renderBundle(aBundle({ issues, notes, notesTotal: 5 }), { ...roomy, maxBytes: 50_000 })
    expect(squeezed).toBe(true)
    expect(text).toContain('[truncated: 4096 of 60000 bytes, read it with scm_read(kind=issues, repo=lib, number=7)]')
    expect(text).toContain('rendered="0" elided="5"')
  })

  it('under more pressure drops bodies, then whole elements, the oldest first, and counts what left (BUNDLE-BUDGET-8)', () => {
    const threads = [4, 1, 3, 2].map((number) => anIssue({ number, body: 'b'.repeat(8000), comments: [] }))
    const mergeRequests = [5].map((number) => ({
      ...anIssue({ number, body: 'b'.repeat(8000), comments: [] }),
      ...{ ci: '', mergeable: '', headBranch: '', headSha: '' },
    }))
    const input = aBundle({ issues: threads, mergeRequests })
    const shown = (
      maxBytes: number,
    ): { bodies: readonly string[]; elements: readonly string[]; left: readonly string[] } => {
      const { text } = renderBundle(input, { ...roomy, maxBytes })
      const elements = [...text.matchAll(/<(?:issue|merge_request) [^>]*number="(\d)"[^]*?<body>([^]*?)<\/body>/g)]
      return {
        elements: elements.map(([, number]) => number!),
        bodies: elements.flatMap(([, number, body]) => (body!.startsWith('b') ? [number!] : [])),
        left: [...text.matchAll(/<elided [^>]*>/g)].map(([marker]) => marker),
      }
    }
    const seen = new Set<string>()
    for (let bytes = 60_000; bytes > 400; bytes -= 50) seen.add(JSON.stringify(shown(bytes)))
    const all = ['1', '2', '3', '4', '5']
    const issues = (count: number): string => `<elided count="${count}" fetch="scm_read(kind=issues, repo=lib)"/>`
    const after = [0, 1, 2, 3, 4, 5].map((dropped) => ({ elements: all, bodies: all.slice(dropped), left: [] }))
    const gone = [1, 2, 3, 4].map((count) => ({ elements: all.slice(count), bodies: [], left: [issues(count)] }))
    const none = {
      elements: [],
      bodies: [],
      left: [issues(4), '<elided count="1" fetch="scm_read(kind=mr, repo=lib)"/>'],
    }
    expect([...seen].map((one) => JSON.parse(one) as unknown)).toEqual(
      [...after, ...gone, none].map((one) => expect.objectContaining(one)),
    )
  })

  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(']]>', '</comment>', '\u0000\u0007', '\u202Eevil', '\uD800', '<!-- x -->'),
  )
  const anyThread = fc
    .record({
      body: anyText,
      title: anyText,
      comments: fc.array(anyText, { maxLength: 20 }),
      number: fc.integer({ min: 1, max: 400 }),
    })
    .map(({ comments, ...rest }) => anIssue({ ...rest, comments: comments.map((body, n) => aComment(n, body)) }))

  it('never exceeds its budget, whatever it holds (BUNDLE-RULE-1) (BUNDLE-BUDGET-2)', () => {
    fc.assert(
      fc.property(
        fc.array(anyThread, { maxLength: 8 }),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 6 }),
        fc.integer({ min: 2000, max: 60_000 }),
        (issues, sizes, maxBytes) => {
          const notes = sizes.map((size, at) => ({
            agent: 'implement',
            at,
            kind: 'note',
            source: 'agent' as const,
            body: 'n'.repeat(size),
          }))
          const long = issues.map((issue) => ({ ...issue, body: issue.body.repeat(200) }))
          const { text } = renderBundle(aBundle({ issues: long, notes, notesTotal: notes.length }), {
            ...roomy,
            maxBytes,
          })
          expect(bytesOf(text)).toBeLessThanOrEqual(maxBytes)
        },
      ),
    )
  })

  it('stays within its tokens as within its bytes, whatever gives way (BUNDLE-BUDGET-15)', () => {
    const dense = '{"sha":"9f8e7d6c5b4a","ms":[1,2,3]} '
    const notes = [{ agent: 'implement', at: 0, kind: 'note', source: 'agent' as const, body: dense.repeat(500) }]
    for (const [threads, times, squeezed] of [
      [1, 10, false],
      [10, 2000, true],
      [300, 20, true],
      [2000, 1, true],
    ] as const) {
      const comments = Array.from({ length: 400 }, (_, n) => aComment(n, dense.repeat(30)))
      const issues = Array.from({ length: threads }, (_, n) =>
        anIssue({ number: n + 1, body: dense.repeat(times), comments }),
      )
      const rendered = renderBundle(aBundle({ issues, notes, notesTotal: 1 }), roomy)
      expect(rendered.squeezed).toBe(squeezed)
      expect(bytesOf(rendered.text)).toBeLessThan(0.9 * roomy.maxBytes)
      expect(tokensAtMost(rendered.text)).toBeLessThanOrEqual(budgetOf(roomy.maxBytes).tokens)
      expect(tokensAtMost(rendered.text)).toBeGreaterThan(0.4 * budgetOf(roomy.maxBytes).tokens)
    }
  })

  it('has more tokens for more bytes, and those of the default for fewer (BUNDLE-BUDGET-15)', () => {
    expect([50_000, 400_000, 2_000_000].map((bytes) => budgetOf(bytes).tokens)).toEqual([140_000, 140_000, 700_000])
  })

  it('lets no text out of its element (BUNDLE-TEXT-1, BUNDLE-TEXT-2)', () => {
    fc.assert(
      fc.property(anyText, (hostile) => {
        expect(escapeText(hostile)).not.toMatch(/[<>"']|[\u0000-\u0008\u202E\u200B]/)
        expect(escapeText(hostile).isWellFormed()).toBe(true)
      }),
    )
  })

  it('shows with a larger budget all that a smaller one showed (BUNDLE-BUDGET-11)', () => {
    const threads = fc.array(fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 30 }), { maxLength: 6 })
    fc.assert(
      fc.property(threads, fc.nat(60_000), fc.nat(20_000), (sizes, budget, more) => {
        const given = sizes.map(ofSizes)
        const small = fillComments(given, budgetOf(budget))
        const large = fillComments(given, budgetOf(budget + more))
        expect(small.every((shown, index) => shown.length <= (large[index]?.length ?? 0))).toBe(true)
      }),
    )
  })

  it('shares room between threads in proportion to their length (BUNDLE-BUDGET-10)', () => {
    const thread = (length: number): FillThread => ofSizes(Array.from({ length }, () => 100))
    const shown = (threads: readonly FillThread[], budget: number): readonly number[] =>
      fillComments(threads, budgetOf(budget)).map(({ length }) => length)
    expect(shown([thread(30), thread(10)], 2000)).toEqual([15, 5])
    expect(shown([thread(30), thread(1)], 1500)).toEqual([14, 1])
  })

  it('renders no more comments than are shown, and the next of each thread', () => {
    let rendered = 0
    const thread: FillThread = { count: 20_000, render: () => ((rendered += 1), 'x'.repeat(100)) }
    expect(fillComments([thread], budgetOf(5000))[0]).toHaveLength(50)
    expect(rendered).toBe(51)
  })
})

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

/** A strict parser of XML 1.0: what is not well formed throws. */
function parseXml(text: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (part) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += part
  })
  parser.on('closetag', () => void open.pop())
  parser.write(text).close()
  return root.children[0] ?? root
}

function childrenOf(element: Element | undefined, name: string): readonly Element[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

/** What a reader of the XML gets of a text: all of it, but what XML cannot hold, and the invisible made visible. */
function asRead(text: string): string {
  return showInvisible(text.toWellFormed())
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD')
    .replace(/\r\n?/g, '\n')
}

describe('a parser of XML', () => {
  const hostile = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    fc.constantFrom(
      ']]>',
      '</comment></comments></issue>',
      '<![CDATA[x]]>',
      '<?xml version="1.1"?>',
      '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>&b;',
      '&amp;lt;&#0;&#x1F;',
      '\u0000\u0007\uFFFE',
      '\u202Eevil\u200B\u2066',
      'a\uD800b',
      '\r\n\r\t',
      '<!-- hidden -->',
      '" onload="x',
    ),
  )
  const hostileThread = fc
    .record({
      title: hostile,
      body: hostile,
      author: hostile,
      url: hostile,
      comments: fc.array(fc.tuple(hostile, hostile), { maxLength: 6 }),
    })
    .map(({ comments, ...rest }) =>
      anIssue({ ...rest, comments: comments.map(([body, author], n) => ({ ...aComment(n, body), author })) }),
    )

  it('takes every bundle, and gets back each text as it was (BUNDLE-TEXT-1, BUNDLE-TEXT-2, BUNDLE-TEXT-3, BUNDLE-BUDGET-4)', () => {
    fc.assert(
      fc.property(fc.array(hostileThread, { maxLength: 3 }), hostile, (threads, note) => {
        const issues = threads.map((thread, index) => ({ ...thread, number: index + 1 }))
        const notes = [{ agent: 'implement', at: 0, kind: 'note', source: 'agent' as const, body: note }]
        const root = parseXml(renderBundle(aBundle({ issues, notes, notesTotal: 1 }), roomy).text)
        const read = childrenOf(root, 'issue')
        expect(read).toHaveLength(issues.length)
        for (const [index, issue] of issues.entries()) {
          const [body] = childrenOf(read[index], 'body')
          const [title] = childrenOf(read[index], 'title')
          const comments = childrenOf(childrenOf(read[index], 'comments')[0], 'comment')
          expect([title?.text, body?.text]).toEqual([asRead(issue.title), asRead(issue.body)])
          expect(comments.map(({ text }) => text)).toEqual(issue.comments.map(({ body: said }) => asRead(said)))
          expect(comments.map(({ attributes }) => attributes['external_id'])).toEqual(
            issue.comments.map(({ externalId }) => externalId),
          )
        }
        expect(childrenOf(childrenOf(root, 'notes')[0], 'note').map(({ text }) => text)).toEqual([asRead(note)])
      }),
    )
  })

  it('takes a body of a million hostile characters, cut to what the budget allows', () => {
    const body = '\uD800]]>&<\u202E\u0000'.repeat(150_000)
    const { text, squeezed } = renderBundle(aBundle({ issues: [anIssue({ body })] }), roomy)
    expect(squeezed).toBe(true)
    expect(bytesOf(text)).toBeLessThanOrEqual(roomy.maxBytes)
    expect(parseXml(text).name).toBe('task_context')
  })
})
