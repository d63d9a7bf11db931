/**
 * Where an orchestrator can die: around each statement of each function that speaks SQL, inside transactions too, around
 * each request to the forge and to pods, around each call that comes in, at each of its timers. All between two awaits of
 * its code lies between two of these: what else it awaits is its own memory. The statements are read off the sources that
 * the composition reaches, so that a new one is a new point without anybody's doing; a request that is in no list here is
 * named as a fault of the run that made it.
 */
import { readFileSync } from 'node:fs'
import { stackKinds } from '../../edges/kubernetes/memory-stack/objects.ts'

const root = new URL('../../', import.meta.url)

/** Speak SQL and belong to no one that asks: drivers, migrations, what an operator's command or a listener alone reaches. */
const noVerbs = /runtime\/store\/(postgres\/|pglite\/|lock\/|durable-files\/|session-sql|sql|migrate|columns|tables)/

/** Rows of an earlier version, or what has been gone for 30 days: this world begins empty, and lives for hours. */
const needsAnOldStore = [/forge\/mirror\/places\/adopt (?!adoptByName)/, /forge\/mirror\/store\/forgotten deleteRows/]

/**
 * Only a row that the store itself refuses comes here, and then for ever: the machines, the codecs and the limits at the
 * edges let none through, and this world's store refuses nothing that it would take.
 */
const needsARefusedRow = /runtime\/store\/inbox\/bury-inbox/

/** Twenty failures in a row: no trouble of this forge lasts so long, and half an event is refused at the door. */
const needsAHopelessDelivery = /forge\/webhooks\/store buryDelivery/

/** No wrapper of this world hands a transcript over, and nobody asks for one. */
const needsATranscript = /pods\/transcripts (?:storeTranscript|readTranscript|transcriptsOf)/

/** Lists that people look at, and what is made when they do first. */
const needsAReader = [/store\/list-actors (?!listActors)/, /store\/commit-steps writeListing/]

const unreached = [needsAHopelessDelivery, ...needsAnOldStore, needsATranscript, ...needsAReader]

/** Why a point is left out, each with how many statements it leaves out: a file that moves may leave one without any. */
export const leftOut = new Map<RegExp, number>([noVerbs, needsARefusedRow, ...unreached].map((needs) => [needs, 0]))

function isLeftOut(needs: RegExp, text: string): boolean {
  const isSo = needs.test(text)
  if (isSo) leftOut.set(needs, (leftOut.get(needs) ?? 0) + 1)
  return isSo
}

/** What is composed, and the place that this world gives it. */
const programs = ['orchestrator/wiring/compose.ts', 'orchestrator/places/local.ts']
const sources = programs.reduce((found, file) => filesBehind(new URL(file, root), found), new Map<string, string>())

function filesBehind(file: URL, found: Map<string, string>): Map<string, string> {
  const name = file.href.slice(root.href.length)
  if (found.has(name)) return found
  const source = readFileSync(file, 'utf8')
  found.set(name, source)
  for (const [, path] of source.matchAll(/^(?:import|export) (?!type )[^;']*?from '(\.{1,2}\/[^']+\.ts)'/gm))
    filesBehind(new URL(path!, file), found)
  return found
}

const speaksSql = /\b(?:sql|tx|db|store|queryable)\.(?:query|tx|exec)\b/
const beginsFunction =
  /^ {0,4}(?:export )?(?:async )?(?:function )?(?!(?:if|for|while|switch|return)\b)(\w+)(?:<\w+(?: extends \w+)?>)?(?:\(|: (?:async )?\()/

/** By line, `file function` of each statement. */
function verbsIn([file, source]: readonly [string, string]): ReadonlyMap<number, string> {
  const verbs = new Map<number, string>()
  if ([noVerbs, needsARefusedRow].some((needs) => isLeftOut(needs, file))) return verbs
  let within = ''
  for (const [index, line] of source.split('\n').entries()) {
    within = beginsFunction.exec(line)?.[1] ?? within
    const verb = `${shortName(file)} ${within}`
    if (!speaksSql.test(line) || /^\s*(?:\*|\/[/*])/.test(line)) continue
    if (!unreached.some((needs) => isLeftOut(needs, verb))) verbs.set(index + 1, verb)
  }
  return verbs
}

/** Without the rooms of the store: its verbs have names of their own. */
function shortName(file: string): string {
  return file
    .replace(/^(runtime|edges)\//, '')
    .replace(/^store\/[a-z]+\//, 'store/')
    .replace(/\.ts$/, '')
}

const verbs = new Map([...sources].map((entry) => [new URL(entry[0], root).href, verbsIn(entry)]))

interface Place {
  readonly file: string
  readonly line: number
}

const asking = new Map<string, string>()

/** The function that asks, found on the stack once for each text: none is asked by two. */
export function callingVerb(text: string): string {
  const known = asking.get(text)
  if (known !== undefined) return known
  const verb = verbOnStack()
  asking.set(text, verb)
  return verb
}

/** Of a transaction too, which has no text. */
export function verbOnStack(): string {
  for (const { file, line } of placesOnStack()) {
    const known = verbs.get(file)?.get(line)
    if (known !== undefined) return known
  }
  return 'unnamed'
}

/** Frames as node has them: to print them costs more than the statement. */
function placesOnStack(): readonly Place[] {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = 12
  Error.prepareStackTrace = (_error, frames) =>
    frames.map((frame) => ({ file: frame.getFileName() ?? '', line: frame.getLineNumber() ?? 0 }))
  const held: { stack?: unknown } = {}
  Error.captureStackTrace(held, verbOnStack)
  const places = held.stack as readonly Place[]
  Object.assign(Error, { stackTraceLimit, prepareStackTrace })
  return places
}

const forgeCalls = [
  'GET issues',
  'GET pulls',
  'GET comments',
  'GET reviews',
  'GET repository',
  'POST comments',
  'POST issues',
  'POST pulls',
  'POST reviews',
  'POST drafts',
  'PATCH issues',
  'PATCH comments',
  'PUT merge',
  'DELETE refs',
  'DELETE drafts',
  'labels',
  'hooks',
] as const

/** What is asked of the forge, in the words of `forgeCalls`. */
export function forgeCall(method: string, path: string): string {
  const [plain = ''] = path.split('?')
  // Who edited comments is asked there.
  if (plain.endsWith('/graphql')) return 'GET comments'
  if (plain.includes('/labels')) return 'labels'
  if (plain.includes('/hooks')) return 'hooks'
  if (plain.startsWith('/api/v4/')) return gitlabCall(method, plain)
  if (plain.includes('/git/refs')) return `${method} refs`
  const noun = /\/(merge|reviews|comments|pulls|issues)(?:\/\d+)?$/.exec(plain)?.[1] ?? 'repository'
  return `${method} ${noun}`
}

/** GitHub's words for what GitLab calls otherwise. A review of GitLab is a set of drafts that is published. */
const gitlabNouns: Readonly<Record<string, string>> = {
  merge_requests: 'pulls',
  notes: 'comments',
  discussions: 'reviews',
  approvals: 'reviews',
  reviewers: 'reviews',
  versions: 'reviews',
  bulk_publish: 'reviews',
  draft_notes: 'drafts',
}

function gitlabCall(method: string, path: string): string {
  if (method === 'DELETE' && path.includes('/repository/branches/')) return 'DELETE refs'
  const noun = /\/([a-z_]+)(?:\/\d+)?$/.exec(path)?.[1] ?? ''
  if (noun === 'merge') return `${method} merge`
  // Whoever writes a review looks for its drafts first.
  if (method === 'GET' && noun === 'draft_notes') return 'GET reviews'
  const verb = method === 'PUT' ? 'PATCH' : method
  return `${verb} ${noun === 'issues' ? noun : (gitlabNouns[noun] ?? 'repository')}`
}

const podCalls = ['create', 'remove', 'volumes', 'workspace'] as const
const wrapperCalls = [
  'POST message',
  'GET messages',
  'GET turn',
  'GET session',
  'DELETE session',
  'POST probe',
  'POST interrupt',
] as const
const memoryCalls = ['fetch', 'record', 'job', 'graph'] as const
const incoming = ['webhook', 'callback', 'agent', 'operator', 'alert'] as const

export function wrapperCall(method: string, path: string): string {
  if (path === '/v1/session') return `${method} session`
  if (path === '/v1/messages') return method === 'POST' ? 'POST message' : 'GET messages'
  return path.startsWith('/v1/messages/') ? 'GET turn' : `${method} ${path.slice(4)}`
}

function around(name: string): readonly string[] {
  return [`${name}: not done`, `${name}: done and not heard`]
}

const stackCalls = [
  'read',
  ...['Deployment', 'StatefulSet', 'Service', 'Secret', 'Cluster', 'Database'].map((kind) => `apply ${kind}`),
  ...['Secret', 'PersistentVolumeClaim'].map((kind) => `make ${kind}`),
  'change Cluster',
  ...['Deployment', 'StatefulSet', 'Service'].map((kind) => `delete ${kind}`),
]

/** What is asked of the API server for a stack, in the words of `stackCalls`. */
export function stackCall(method: string, path: string, isApply: boolean): string {
  if (method === 'GET') return 'read'
  const plural = /\/(?:namespaces\/[^/]+\/)([a-z]+)/.exec(path)?.[1] ?? ''
  const kind = Object.entries(stackKinds).find(([, one]) => one.plural === plural)?.[0] ?? plural
  const verb = method === 'PATCH' ? (isApply ? 'apply' : 'change') : method === 'POST' ? 'make' : 'delete'
  return `${verb} ${kind}`
}

/** Where a life dies that has stacks: the plan of the stacks aims at them. */
export const stackPoints: readonly string[] = stackCalls.flatMap((call) => around(`stack ${call}`))

export const crashPoints: readonly string[] = [
  ...[...new Set([...verbs.values()].flatMap((lines) => [...lines.values()]))]
    .toSorted()
    .flatMap((verb) => around(`sql ${verb}`)),
  ...forgeCalls.flatMap((call) => around(`forge ${call}`)),
  ...podCalls.flatMap((call) => around(`pods ${call}`)),
  ...wrapperCalls.flatMap((call) => around(`wrapper ${call}`)),
  ...memoryCalls.flatMap((call) => around(`memory ${call}`)),
  ...incoming.flatMap((call) => [`${call}: come in`, `${call}: done and not answered`]),
  'timer: about to fire',
]
