/** Mirrors of one local forge, of either dialect, under names of their own; each reads it through faults of its own. */
import { adapters } from '../../../edges/forge/transport/adapters.ts'
import { createMirror, type Mirror } from '../../../edges/forge/mirror/mirror.ts'
import { mirrorRules } from '../../../edges/forge/mirror/facts/rules.ts'
import { createOpenForge } from '../../../edges/forge/transport/open-forge.ts'
import type { ProjectSettings } from '../../../edges/forge/projects.ts'
import { withForgeEdge, type EdgeFixture, type EdgeFixtureOptions } from '../../../edges/forge/testing/fixture.ts'
import type { Fetch } from '../../../http/ports.ts'
import type { RepositorySpec } from '../../../standins/forge/store/repositories.ts'
import type { Delivery } from '../../../standins/forge/webhooks/sender.ts'
import { simulatedClock, type SimulatedClock } from '../../../runtime/simulated-clock.ts'

const REPO = 'acme/library'

/** What the API of a forge calls things. */
export interface Dialect {
  readonly options: EdgeFixtureOptions
  readonly named: string
  readonly byId: (id: number) => string
  readonly comments: string
  /** What is answered about a thread that is there no more. */
  readonly gone: '404' | '410'
}

function ofGitlab({ scm, ...project }: ProjectSettings): ProjectSettings {
  return { ...project, scm: { ...scm, provider: 'forge_b', apiURL: `${scm.webURL}/api/v4` } }
}

export const dialects: Readonly<Record<string, Dialect>> = {
  GitHub: {
    options: {},
    named: `/repos/${REPO}`,
    byId: (id) => `/repositories/${id}`,
    comments: 'comments',
    gone: '410',
  },
  GitLab: {
    options: { repository: { dialect: 'gitlab' }, project: ofGitlab },
    named: `/projects/${encodeURIComponent(REPO)}`,
    byId: (id) => `/projects/${id}`,
    comments: 'notes',
    gone: '404',
  },
}
export const answers = ['right', 'renamed', 'elsewhere', '404', '410', '429', '502', 'silence', 'torn'] as const
export type Answer = (typeof answers)[number]

export interface Script {
  next(): Answer
  /** Of a path of the API that is never there. */
  isGone(path: string): boolean
}

export const calm: Script = { next: () => 'right', isGone: () => false }

const refusals: Readonly<Record<string, () => Response>> = {
  404: () => Response.json({ message: 'Not Found' }, { status: 404 }),
  410: () => Response.json({ message: 'This issue was deleted' }, { status: 410 }),
  429: () => Response.json({ message: 'slow down' }, { status: 429, headers: { 'retry-after': '1' } }),
  502: () => new Response('bad gateway', { status: 502 }),
}

/** The redirect of a repository with another name, which stays where it is all the same. */
function sentTo(url: string, id: number, { named, byId }: Dialect): Response {
  const location = url.replace(named, byId(id))
  return new Response(null, { status: 301, headers: { location } })
}

async function torn(answer: Response): Promise<Response> {
  const text = await answer.text()
  const { status, headers } = answer
  return new Response(text.slice(0, text.length / 2), { status, headers })
}

function never(signal: AbortSignal | null | undefined, clock: SimulatedClock): Promise<Response> {
  setImmediate(() => clock.advance(30_000))
  return new Promise((_, reject) =>
    signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
  )
}

/** Reads alone go wrong: hooks are not looked at. */
function faultyFetch(clock: SimulatedClock, script: Script, id: number, dialect: Dialect): Fetch {
  const { named, byId } = dialect
  return async (input, init) => {
    const url = String(input)
    const known = url.replace(byId(id), named)
    const path = known.slice(known.indexOf(named) + named.length).replace(/\?.*/, '')
    if (script.isGone(path)) return refusals[dialect.gone]!()
    const answer = script.next()
    if (answer === 'silence') return never(init?.signal, clock)
    if (answer === 'renamed' && known === url) return sentTo(url, id, dialect)
    if (answer === 'elsewhere' && known === url) return sentTo(url, id + 1, dialect)
    const refusal = refusals[answer]
    if (refusal !== undefined) return refusal()
    const right = await fetch(known, init)
    return answer === 'torn' ? torn(right) : right
  }
}

interface ThreadRow {
  readonly sort: string
  readonly number: number
}

interface Rows {
  readonly subjects: readonly (ThreadRow & { readonly state?: string; readonly notes?: object })[]
  readonly comments: readonly ThreadRow[]
}

function isIssue(row: ThreadRow, number: number): boolean {
  return row.sort === 'issue' && row.number === number
}

/** Without who did it: only a delivery names that. */
export function handless({ subjects, comments }: Rows): Rows {
  return { subjects: subjects.map((subject) => ({ ...subject, notes: {} })), comments }
}

export function without({ subjects, comments }: Rows, issue: number): Rows {
  const others = <T extends ThreadRow>(rows: readonly T[]): readonly T[] => rows.filter((row) => !isIssue(row, issue))
  return { subjects: others(subjects), comments: others(comments) }
}

export function stateOf({ subjects }: Rows, issue: number): string | undefined {
  return subjects.find((row) => isIssue(row, issue))?.state
}

export class World {
  readonly fixture: EdgeFixture
  /** Of the changes, in the order in which they were sent. */
  readonly deliveries: Delivery[] = []
  readonly #dialect: Dialect
  #copies = 0

  constructor(fixture: EdgeFixture, dialect: Dialect) {
    this.fixture = fixture
    this.#dialect = dialect
  }

  /** The mirror as it was before the changes, under a name of its own. */
  async copy(): Promise<string> {
    const name = `copy-${++this.#copies}`
    for (const table of [
      'forge_subject',
      'forge_comment',
      'forge_cursor',
      'forge_account',
      'forge_history',
      'forge_repository',
    ]) {
      const { rows } = await this.fixture.sql.query<{ name: string }>(
        `select column_name as name from information_schema.columns where table_name = $1 and column_name <> 'project'`,
        [table],
      )
      const columns = rows.map((row) => `"${row.name}"`).join(', ')
      await this.fixture.sql.exec(
        `insert into ${table} (project, ${columns}) select '${name}', ${columns} from ${table} where project = 'demo'`,
      )
    }
    return name
  }

  mirrorOf(name: string, script: Script, after: number): Mirror {
    const { fixture } = this
    const directory = { ...fixture.directory, project: async () => ({ ...fixture.project, name, uid: name }) }
    // Later than what the next resync looks back on; who never answers moves it on.
    const clock = simulatedClock(Date.now() + after * 10 * 60_000)
    const fetch = faultyFetch(clock, script, 7, this.#dialect)
    return createMirror({
      rules: mirrorRules,
      ...fixture,
      clock,
      directory,
      openForge: createOpenForge({ ...fixture, clock, directory, fetch }),
      deliver: async ({ key }) => ({ key, applied: true, seq: 1 }),
    })
  }

  /** As when it arrives once more. */
  async deliver(name: string, { guid, message: { event, payload } }: Delivery): Promise<void> {
    const change = adapters[this.fixture.project.scm.provider]!.webhooks.changeOf(event, payload)
    if (change !== undefined) await this.mirrorOf(name, calm, 1).apply(name, change, guid)
  }

  /** No limit of an earlier one is left; what fails is not the question. */
  async resync(name: string, script: Script, after = 1): Promise<unknown> {
    await this.fixture.sql.exec('delete from forge_budget')
    return this.mirrorOf(name, script, after)
      .resync(name)
      .catch((error: unknown) => error)
  }

  /** What the forge said, without when we saw it and how often we said it. */
  async rows(name: string): Promise<Rows> {
    const { rows: subjects } = await this.fixture.sql.query<ThreadRow & { notes: string; document: string }>(
      `select sort, number, state, document, notes, complete from forge_subject where project = $1 order by sort, number`,
      [name],
    )
    const { rows: comments } = await this.fixture.sql.query<ThreadRow>(
      `select on_sort as sort, number, id, document, deleted_at is null as there from forge_comment where project = $1 order by id`,
      [name],
    )
    const timeless = subjects.map(({ notes, document, ...subject }) => {
      const { headSince: _, ...rest } = JSON.parse(notes) as { headSince?: number }
      return { ...subject, notes: rest, document: JSON.parse(document) as unknown }
    })
    return { subjects: timeless, comments }
  }
}

async function populate({ forge, push, clone }: EdgeFixture): Promise<void> {
  const folder = await clone('maintainer')
  for (const n of [1, 2, 3, 4]) {
    const { number } = forge.openIssue('maintainer', REPO, {
      title: `Wish ${n}`,
      body: 'Please.',
      labels: ['platform'],
    })
    forge.comment('maintainer', REPO, number, `About ${n}.`)
  }
  for (const n of [1, 2]) {
    await push(folder, `fix-${n}`, { [`fix-${n}.txt`]: 'fixed' })
    await forge.openPull('maintainer', REPO, { title: `Fix ${n}`, body: '', head: `fix-${n}`, base: 'main' })
  }
}

/** Of each kind of thread, of its text, its comments and its reviews. */
async function change({ forge }: EdgeFixture): Promise<void> {
  const [first, second, third, fourth] = forge.issues(REPO).map(({ number }) => number) as [
    number,
    number,
    number,
    number,
  ]
  const [pull, other] = forge.issues(REPO).flatMap(({ kind, number }) => (kind === 'pull' ? [number] : [])) as [
    number,
    number,
  ]
  forge.closeIssue('maintainer', REPO, first)
  forge.comment('maintainer', REPO, second, 'And faster.')
  forge.deleteComment('maintainer', REPO, [...forge.issue(REPO, third).comments.keys()][0]!)
  forge.editIssue('maintainer', REPO, fourth, { body: 'Please, soon.' })
  await forge.review('acme', REPO, pull, { event: 'REQUEST_CHANGES', body: 'Not yet.' })
  await forge.closePull('maintainer', REPO, other)
  forge.openIssue('maintainer', REPO, { title: 'Wish 5', body: 'One more.', labels: ['platform'] })
}

/** The forge has changed since `demo` was read; `hooks` heard of it. */
export async function withWorld(
  { options, ...dialect }: Dialect,
  use: (world: World) => Promise<void>,
  hooks: RepositorySpec['hooks'] = [],
): Promise<void> {
  await withForgeEdge({ ...options, repository: { ...options.repository, hooks } }, async (fixture) => {
    await populate(fixture)
    const world = new World(fixture, { options, ...dialect })
    await fixture.forge.idle(world.resync('demo', calm, 0))
    const known = fixture.forge.deliveries().length
    await fixture.forge.idle(change(fixture))
    world.deliveries.push(...fixture.forge.deliveries().slice(known))
    await use(world)
  })
}
