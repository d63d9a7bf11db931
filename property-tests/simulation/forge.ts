/**
 * The local forge without sockets and without git's processes: its store, its REST dialects and the wording of its
 * webhooks are the stand-in's own. One application serves all runs; the world behind it is a new one for each.
 */
import Fastify from 'fastify'
import { createActions, type Actions } from '../../standins/forge/actions.ts'
import { createFaultBoard, type FaultBoard } from '../../standins/forge/faults.ts'
import { createDialectLinks, sendEvents, signDelivery } from '../../standins/forge/dialects.ts'
import { serveGithub } from '../../standins/forge/github/server.ts'
import { serveGitlab } from '../../standins/forge/gitlab/server.ts'
import { refOf, ZERO_SHA } from '../../standins/forge/git/refs.ts'
import type { Git } from '../../standins/forge/git/store.ts'
import type { AuditEntry } from '../../standins/forge/store/audit.ts'
import { createCheckRun, updateCheckRun } from '../../standins/forge/store/checks.ts'
import { createLocks } from '../../standins/forge/store/locks.ts'
import { acceptPush } from '../../standins/forge/store/push.ts'
import type { Dialect, Repository, User } from '../../standins/forge/store/records.ts'
import { createRepository } from '../../standins/forge/store/repositories.ts'
import { editPull, findPull } from '../../standins/forge/store/pulls.ts'
import { threadKey } from '../../standins/forge/store/records.ts'
import { findIssue } from '../../standins/forge/store/issues.ts'
import { addUser, emit, requireUser, timestamp, type World as Store } from '../../standins/forge/store/world.ts'
import type { Sender } from '../../standins/forge/webhooks/sender.ts'
import { people } from '../../standins/people.ts'
import { memoryGit } from '../../standins/forge/git/memory/memory-git.ts'
import { nameOf } from './thread.ts'
import { createSender, type Carry } from './webhooks.ts'
import { bareAt, filesOf, forgetRepositories, keepCommit, keepTree } from '../../standins/forge/git/memory/objects.ts'

export const forgeUrl = 'https://forge.test'
/** The first of them is where all is well known; the second is there in some lives. */
export const repositoryNames = ['library', 'handbook'] as const
export function fullName(repository: string): string {
  return `${people.owner}/${repository}`
}
export const botToken = 'the-token-of-the-bot'
export const triggerLabel = 'platform'

export interface Entry extends AuditEntry {
  /** How many steps of actors had been committed before; of a request that was on its way, when it left. */
  readonly place: number
}

/** The platform read a merge request. */
export interface Look {
  readonly thread: string
  /** Entries of the forge's record so far. */
  readonly entries: number
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Forge {
  readonly actions: Actions
  readonly audit: readonly Entry[]
  readonly looks: readonly Look[]
  /** Committed steps so far, for the entries to come. */
  place: number
  /** `leftAt`: committed steps when the request left, which nothing that was decided later could call back. */
  ask(asked: Asked, leftAt: number): Promise<Answered>
  /** One commit on the branch, on top of it and of its base. */
  push(by: string, change: Push): Promise<string>
  /** An issue that the forge shows nobody any more; on GitHub it says so. */
  takeAway(by: string, repository: string, number: number, how: 'deleted' | 'transferred'): void
  /** Another base branch for a merge request. */
  rebase(by: string, repository: string, number: number, base: string): Promise<void>
  /** A check of a commit that waits, or has ended. */
  check(input: CheckInput): void
  /** Branches of the repository: full ref to commit. */
  heads(repository: string): ReadonlyMap<string, string>
  tip(repository: string, branch: string): Promise<string | undefined>
  git(repository: string): Git
  /** All that stand on it, of whichever thread. */
  comments(): readonly Said[]
}

/** Words on the forge, and where: `library#3`, or `library!3`. */
export interface Said {
  readonly thread: string
  readonly author: string
  readonly body: string
}

export interface Push {
  readonly repository: string
  readonly branch: string
  readonly base: string
  readonly path: string
  readonly text: string
  readonly message: string
}

export interface CheckInput {
  readonly repository: string
  readonly name: string
  readonly sha: string
  readonly conclusion: 'success' | undefined
}

export interface ForgeOptions {
  readonly dialect: Dialect
  /** What main requires of each head. */
  readonly required: { readonly name: string; readonly by: 'protection' | 'ruleset' } | undefined
  readonly repositories: 1 | 2
  readonly now: () => number
  readonly carry: Carry
  readonly pushed: (repository: string, sha: string) => void
}

/** Of a merge request, on either forge. */
const pullPath = /\/([^/]+)\/(?:pulls|merge_requests)\/(\d+)(?:\?.*)?$/

const links = createDialectLinks(forgeUrl)
/** As the routes see it: of the run that is under way. */
const current: { store: Store; sender: Sender } = {} as never

const app = Fastify({ routerOptions: { maxParamLength: 500 } })
const serving = {
  rateLimit: Number.MAX_SAFE_INTEGER,
  log: (error: unknown): void => {
    throw error
  },
}
await serveGithub(app, platformOf(links.github), serving)
await serveGitlab(app, platformOf(links.gitlab), serving)
await app.ready()

function platformOf<L>(ownLinks: L): {
  readonly links: L
  readonly faults: FaultBoard
  readonly world: Store
  readonly sender: Sender
} {
  return {
    links: ownLinks,
    faults: createFaultBoard(1, []),
    get world() {
      return current.store
    },
    get sender() {
      return current.sender
    },
  }
}

export async function openForge(options: ForgeOptions): Promise<Forge> {
  const { repositories: count, now, carry, pushed } = options
  forgetRepositories()
  const audit: Entry[] = []
  const looks: Look[] = []
  const state: { place: number; leftAt: number | undefined } = { place: 0, leftAt: undefined }
  const store = createStore(audit, now, (actor) => (actor === people.bot ? state.leftAt : undefined) ?? state.place)
  const sender = createSender({
    nextId: () => store.nextId(),
    sign: (hook, guid, message) => signDelivery(store, hook, guid, message, () => guid),
    carry,
    now: store.now,
    at: () => timestamp(store),
  })
  Object.assign(current, { store, sender })
  sendEvents(store, () => links, sender)
  for (const login of [people.owner, people.maintainer, people.reporter, people.stranger]) addUser(store, { login })
  addUser(store, { login: people.bot, type: 'Bot', token: botToken })
  const ci = addUser(store, { login: 'ci[bot]', type: 'Bot' })
  const repositories = new Map<string, Repository>()
  for (const name of repositoryNames.slice(0, count)) repositories.set(name, await newRepository(store, name, options))
  const at = (name: string): Repository => repositories.get(name)!
  store.tipListeners.add(async (repository, _branch, sha) => pushed(repository.name, sha))

  return {
    actions: createActions(store),
    audit,
    looks,
    get place() {
      return state.place
    },
    set place(value) {
      state.place = value
    },
    async ask({ method, path, headers, body }, leftAt) {
      const [, repository, number] = (method === 'GET' && pullPath.exec(decodeURIComponent(path))) || []
      if (repository !== undefined)
        looks.push({ thread: nameOf({ repository, kind: 'pull', number: Number(number) }), entries: audit.length })
      state.leftAt = leftAt
      const answer = await app.inject({
        method: method as 'GET',
        url: path,
        headers,
        ...(body === undefined ? {} : { payload: body }),
      })
      state.leftAt = undefined
      return { status: answer.statusCode, headers: textHeaders(answer.headers), body: answer.payload }
    },
    push: (by, change) => push(store, at(change.repository), requireUser(store, by), change),
    takeAway(by, name, number, how) {
      const repository = at(name)
      const issue = findIssue(repository, number)
      if (issue.kind !== 'issue') throw new Error(`${name}!${number} is no issue`)
      repository.issues.delete(threadKey(repository, 'issue', number))
      emit(store, { type: 'issue.changed', repository, actor: requireUser(store, by), action: how, issue })
    },
    rebase(by, name, number, base) {
      const actor = { user: requireUser(store, by), cap: 'admin' as const, scopes: [] }
      return editPull(store, at(name), actor, findPull(at(name), number), { base })
    },
    check: (input) => check(store, at(input.repository), ci, input),
    heads: (name) => new Map([...bareAt(at(name).path).refs].filter(([ref]) => ref.startsWith('refs/heads/'))),
    tip: (name, branch) => at(name).git.branchTip(branch),
    git: (name) => at(name).git,
    comments: () =>
      [...repositories.values()].flatMap(({ name, issues }) =>
        [...issues.values()].flatMap(({ kind, number, comments }) =>
          [...comments.values()].map(({ author, body }) => ({
            thread: nameOf({ repository: name, kind, number }),
            author: author.login,
            body,
          })),
        ),
      ),
  }
}

function newRepository(store: Store, name: string, { dialect, required }: ForgeOptions): Promise<Repository> {
  const requiredChecks = required === undefined ? [] : [required.name]
  const isRuleset = required?.by === 'ruleset' && dialect === 'github'
  return createRepository(store, {
    ...(required === undefined || isRuleset ? {} : { protection: { main: { requiredChecks } } }),
    ...(isRuleset ? { rulesets: [{ branches: ['main'], requiredChecks }] } : {}),
    dialect,
    owner: people.owner,
    name,
    permissions: {
      [people.bot]: 'admin',
      [people.maintainer]: 'admin',
      [people.reporter]: 'write',
      // They may label: so it is the platform's own gate that keeps them out.
      [people.stranger]: 'write',
    },
    labels: [{ name: triggerLabel, color: '5319e7' }],
    ci: { enabled: false },
  })
}

function createStore(audit: Entry[], now: () => number, place: (actor: string) => number): Store {
  const store: Store = {
    dir: '/forge',
    users: new Map(),
    tokens: new Map(),
    repositories: new Map(),
    audit: {
      file: '',
      append: (entry) => void audit.push({ ...entry, place: place(entry.actor) }),
      entries: () => audit,
      onEntry: () => () => true,
    },
    locks: createLocks(),
    git: memoryGit(now),
    now: () => Math.floor(now()),
    listeners: new Set(),
    tipListeners: new Set(),
    changeListeners: new Set(),
    restored: new Set(),
    lastId: 1000,
    nextId: () => (store.lastId += 1),
  }
  return store
}

async function push(store: Store, repository: Repository, by: User, change: Push): Promise<string> {
  const bare = bareAt(repository.path)
  const base = (await repository.git.branchTip(change.base)) ?? ''
  const tip = await repository.git.branchTip(change.branch)
  const isBehind = tip !== undefined && !(await repository.git.isAncestor(base, tip))
  const own = tip === undefined ? [] : [...filesOf(bare, tip)]
  // What the base has is taken over; the branch's own files have names that nobody else uses.
  const files = new Map([...own, ...filesOf(bare, base), [change.path, change.text]])
  const person = { name: by.name, email: by.email, date: timestamp(store) }
  const sha = keepCommit(bare, {
    tree: keepTree(bare, files),
    parents: tip === undefined ? [base] : isBehind ? [tip, base] : [tip],
    author: person,
    committer: person,
    message: change.message,
  })
  const update = { ref: refOf(change.branch), before: tip ?? ZERO_SHA, after: sha }
  bare.refs.set(update.ref, sha)
  await acceptPush(store, repository, by, [update])
  return sha
}

function check(store: Store, repository: Repository, ci: User, { name, sha, conclusion }: CheckInput): void {
  const runs = repository.suites.flatMap((suite) => suite.runs)
  const known = runs.find((run) => run.suite.sha === sha && run.name === name)
  if (!known) createCheckRun(store, repository, ci, { name, app: 'ci', sha })
  else if (conclusion) updateCheckRun(store, repository, ci, known, { conclusion })
}

function textHeaders(headers: object): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
