import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { expect, it } from 'vitest'
import { agentKinds } from '../../../machines/task/events.ts'
import { toolsFor } from './server.ts'
import type { Tool } from './tool.ts'
import { bytesOf } from '../bundle/escape.ts'
import type { BundleThread } from '../bundle/input.ts'
import { renderBundle } from '../bundle/render.ts'

const defaultBudget = 400_000
/** Tokens of the smallest window among the models that agents are given. */
const window = 200_000
/** The CLI's own prompt and tools in the first request, measured at 2.1.329 with five small tools of ours (21,853). */
const ofTheCli = 22_000
/** Another vocabulary than the public one may need more tokens for the same text. */
const margin = 1.2
/** A few files, the output of tests and the change itself. */
const room = 30_000

const encoding = new Tiktoken(o200k)
const root = new URL('../../../', import.meta.url).pathname

/** What threads consist of: prose, code, and the traces of failures. */
function words(): string {
  const files = [...globSync('docs/*.md', { cwd: root }), ...globSync('runtime/**/*.ts', { cwd: root })].toSorted()
  const trace = Array.from(
    { length: 20 },
    (_, n) => `    at Object.parse${n} (/srv/app/node_modules/parser/lib/file${n}.js:${n * 3}:${n})`,
  ).join('\n')
  return files.map((file) => `${readFileSync(`${root}${file}`, 'utf8').slice(0, 8000)}\n${trace}\n`).join('')
}

function aThread(number: number, text: string): BundleThread {
  const bodies = text.match(/[^]{1,2000}/g) ?? []
  const comments = bodies.map((body, n) => ({ externalId: String(n), author: 'maint', at: n, bot: false, body }))
  return {
    repository: 'lib',
    number,
    state: 'open',
    status: '',
    url: '',
    title: 'Fails',
    author: 'rita',
    body: 'b',
    comments,
  }
}

const hex = (n: number, length: number): string => createHash('sha512').update(String(n)).digest('hex').slice(0, length)
const lines = (line: (n: number) => string): string => Array.from({ length: 6000 }, (_, n) => line(n)).join('\n')
const dense: Readonly<Record<string, string>> = {
  'JSON logs': lines((n) =>
    JSON.stringify({ time: n, reqId: hex(n, 8), sha: hex(n, 40), msg: 'upstream timeout', ms: n / 7 }),
  ),
  'a lock file': readFileSync(`${root}package-lock.json`, 'utf8').repeat(2),
  base64: lines((n) => createHash('sha512').update(String(n)).digest('base64')),
  'hex dumps': lines((n) => `${hex(n, 8)}: ${hex(n, 32).replace(/..../g, '$& ')}`),
  signs: lines((n) => hex(n, 60).replace(/[a-f]/g, (digit) => '{[(<&"'['abcdef'.indexOf(digit)] ?? '')),
}

it.each(Object.entries(dense))(
  'a full bundle of %s fits the smallest window (BUNDLE-BUDGET-15)',
  (_kind, text) => {
    expect(tokensOfTurn(fullBundle(text))).toBeLessThan(window)
  },
  30_000,
)

it('a full bundle of the default budget leaves 30,000 tokens of the smallest window to the work (BUNDLE-BUDGET-14)', () => {
  const text = fullBundle(words().repeat(2))
  expect(bytesOf(text)).toBeGreaterThan(defaultBudget * 0.8)
  expect(tokensOfTurn(text)).toBeLessThan(window - room)
}, 30_000)

function fullBundle(text: string): string {
  const task = { task: 't', kind: 'implement', stage: 'implementing', agent: 'implement', project: 'demo' } as const
  const rest = { mergeRequests: [], events: [], notes: [], notesTotal: 0, earlier: [] }
  const input = { ...task, ...rest, issues: [aThread(1, text)] }
  return renderBundle(input, { maxBytes: defaultBudget, eventsInside: true }).text
}

function tokensOfTurn(text: string): number {
  const tools = Math.max(...agentKinds.map((kind) => tokensOf(JSON.stringify(toolsFor(kind).map(asAsked)))))
  return (tokensOf(text) + tools + ofTheCli) * margin
}

function asAsked({ name, description, input }: Tool): object {
  return { name, description, input_schema: input }
}

/** Piece by piece: the encoder is quadratic in long runs. */
function tokensOf(text: string): number {
  return (text.match(/[^]{1,10000}/g) ?? []).reduce((sum, piece) => sum + encoding.encode(piece).length, 0)
}
