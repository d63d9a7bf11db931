/**
 * Where an orchestrator can die: around each statement of each function that speaks SQL, around each request to the
 * forge and to pods, around each call that comes in, at each of its timers. All between two awaits of its code lies
 * between two of these: what else it awaits is its own memory. The list is read off the sources that the composition
 * reaches, so that a new statement, effect or request is a new point without anybody's doing.
 */
import { readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

/** Speak SQL and belong to no one that asks: drivers, migrations, what an operator's command or a listener alone reaches. */
const noVerbs =
  /runtime\/store\/(pg-|pglite|session-sql|sql|migrate|dump-schema|store-lock|durable-files|columns|tables)/

const sources = filesBehind(new URL('cli/orchestrator/compose.ts', root))

function filesBehind(file: URL, found = new Map<string, string>()): ReadonlyMap<string, string> {
  const name = file.href.slice(root.href.length)
  if (found.has(name)) return found
  const source = readFileSync(file, 'utf8')
  found.set(name, source)
  for (const [, path] of source.matchAll(/^(?:import|export) (?!type )[^;']*?from '(\.{1,2}\/[^']+\.ts)'/gm))
    filesBehind(new URL(path!, file), found)
  return found
}

const speaksSql = /\b(?:sql|tx|db|store|queryable)\.(?:query|tx|exec)\b/

/** `file function`, of every function whose own lines hold a statement. */
function verbsIn([file, source]: readonly [string, string]): readonly string[] {
  if (noVerbs.test(file) || !speaksSql.test(source)) return []
  return [shortName(file)]
}

function shortName(file: string): string {
  return file.replace(/^(runtime|edges)\//, '').replace(/\.ts$/, '')
}

const verbs = [...sources].flatMap(verbsIn).toSorted()

/** The file that asks, found on the stack: no statement need be recognised by its text. */
export function callingVerb(): string {
  for (const address of filesOnStack()) {
    const known = verbOf(address)
    if (known !== undefined) return known
  }
  return 'unnamed'
}

const known = new Map<string, string | undefined>()

function verbOf(address: string): string | undefined {
  if (!known.has(address)) {
    const file = address.startsWith(root.href) ? address.slice(root.href.length) : ''
    known.set(address, verbsIn([file, sources.get(file) ?? ''])[0])
  }
  return known.get(address)
}

/** Frames as node has them: to print them costs more than the statement. */
function filesOnStack(): readonly string[] {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = 25
  Error.prepareStackTrace = (_error, frames) => frames.map((frame) => frame.getFileName() ?? '')
  const held: { stack?: unknown } = {}
  Error.captureStackTrace(held, callingVerb)
  const files = held.stack as readonly string[]
  Object.assign(Error, { stackTraceLimit, prepareStackTrace })
  return files
}

export const forgeCalls = [
  'GET issues',
  'GET pulls',
  'GET repository',
  'POST comments',
  'POST pulls',
  'PUT merge',
  'POST reviews',
  'labels',
  'hooks',
] as const

/** What is asked of the forge, in the words of `forgeCalls`; everything else counts as one of its reads. */
export function forgeCall(method: string, path: string): string {
  if (path.endsWith('/merge') && method === 'PUT') return 'PUT merge'
  if (/\/labels/.test(path)) return 'labels'
  if (/\/hooks/.test(path)) return 'hooks'
  if (method === 'POST' && path.endsWith('/comments')) return 'POST comments'
  if (method === 'POST' && path.endsWith('/pulls')) return 'POST pulls'
  if (method === 'POST' && path.endsWith('/reviews')) return 'POST reviews'
  if (/\/issues/.test(path)) return 'GET issues'
  return /\/pulls/.test(path) ? 'GET pulls' : 'GET repository'
}

const podCalls = ['create', 'remove', 'volumes', 'workspace'] as const
const wrapperCalls = ['POST message', 'GET messages', 'GET turn', 'GET session', 'DELETE session'] as const
const incoming = ['webhook', 'callback', 'agent', 'operator'] as const

export function wrapperCall(method: string, path: string): string {
  if (path === '/v1/session') return `${method} session`
  if (path === '/v1/messages') return method === 'POST' ? 'POST message' : 'GET messages'
  return path.startsWith('/v1/messages/') ? 'GET turn' : `${method} ${path.slice(4)}`
}

function around(name: string): readonly string[] {
  return [`${name}: not sent`, `${name}: done and not heard`]
}

export const crashPoints: readonly string[] = [
  ...verbs.flatMap((verb) => around(`sql ${verb}`)),
  ...forgeCalls.flatMap((call) => around(`forge ${call}`)),
  ...podCalls.flatMap((call) => around(`pods ${call}`)),
  ...wrapperCalls.flatMap((call) => around(`wrapper ${call}`)),
  ...incoming.flatMap((call) => [`${call}: come in`, `${call}: done and not answered`]),
  'timer: about to fire',
]
