/** A pod's merge request, reviewed by the Task's own table and merged by the forge's edge. Walls down: one port says nothing of it. */
import { join } from 'node:path'
import { readHeads } from '../../../edges/agents/outcome/heads.ts'
import { createReadBack } from '../../../edges/forge/read-back.ts'
import { createReadForeign } from '../../../edges/forge/foreign-commits.ts'
import type { ForgePort } from '../../../edges/forge/port.ts'
import {
  ofGitlab,
  withForgeEdge,
  type EdgeFixture,
  type EdgeFixtureOptions,
} from '../../../edges/forge/testing/fixture.ts'
import { createCommitGraph } from '../../../edges/git/store/commit-graph.ts'
import type { GitCache } from '../../../edges/git/store/cache.ts'
import { treesIn } from '../../../edges/git/testing/fixture.ts'
import { writeCommit } from '../../../edges/git/testing/loose-objects.ts'
import type { CommitGraph } from '../../../edges/ports/commit-graph.ts'
import { drive, sent, type Drive } from '../../../machines/drive.ts'
import type { EffectParams } from '../../../machines/effect.ts'
import { mergeRequestMachine } from '../../../machines/merge-request/machine.ts'
import { aMergeRequest, ATask, taskId } from '../../../machines/testing/a-task.ts'
import {
  bareAt,
  commitAt,
  filesOf,
  historyOf,
  keepCommit,
  keepTree,
  type Bare,
} from '../../../standins/forge/git/memory/objects.ts'
import { refOf, ZERO_SHA } from '../../../standins/forge/git/refs.ts'
import { run } from '../../../standins/forge/testing/fixture.ts'
import { ask, PROJECT } from '../../../standins/forge/testing/gitlab.ts'
import type { Setting, Stage } from '../attack.ts'
import { oneForAll } from './one-at-a-time.ts'

type Down = Setting['down']

/** Requires `build`, and lets the bot past. */
export const STRICT = 'stable'

/** Longer than a head waits for its first check. */
const aWhileMs = 6 * 60_000

export class JudgementScene {
  readonly #edge: EdgeFixture
  readonly #down: Down
  readonly #branch: string
  readonly #bare: Bare
  readonly #isGitlab: boolean
  readonly #task = new ATask()
  #mergeRequest: { readonly number: number; readonly address: string; readonly drive: Drive } | undefined
  #asked: EffectParams<'mergeMergeRequest'> | undefined

  constructor(edge: EdgeFixture, down: Down, name: string) {
    this.#edge = edge
    this.#down = down
    this.#branch = `platform/${name}`
    this.#bare = bareAt(edge.path)
    this.#isGitlab = edge.project.scm.provider === 'forge_b'
  }

  tip(branch = this.#branch): string {
    return this.#bare.refs.get(refOf(branch)) ?? ZERO_SHA
  }

  /** What a pod wrote, and what somebody else did: other files in each scene. */
  get work(): string {
    return `${this.#branch}/work.md`
  }

  get evil(): string {
    return `${this.#branch}/evil.md`
  }

  has(branch: string, path: string): boolean {
    return filesOf(this.#bare, this.tip(branch)).has(path)
  }

  /** The files of its parents, with this one. */
  commit(path: string, first = this.tip(), ...others: readonly string[]): string {
    const parents = [first, ...others]
    const old = parents.toReversed().flatMap((parent) => [...filesOf(this.#bare, parent)])
    const tree = keepTree(this.#bare, new Map([...old, [path, 'x']]))
    const { author, committer } = commitAt(this.#bare, first)
    return keepCommit(this.#bare, { tree, parents, message: this.#branch, author, committer })
  }

  /** A pod pushes with the bot's token, and the gateway notes it. */
  async push(login: string, after: string, branch = this.#branch): Promise<void> {
    const { edge, forge, clock, project } = this.#edge
    const update = { ref: refOf(branch), before: this.tip(branch), after }
    const noted = { project: 'demo', repository: 'library', task: taskId, pod: '1', outcome: 'accepted' } as const
    if (login === 'bot') await edge.auditPush({ ...noted, ...update, at: clock.now() })
    await forge.receive(`Bearer token-of-${login}`, project.scm.owner, 'library', update)
    await this.#hear()
  }

  async drop(login: string): Promise<void> {
    const { forge, project } = this.#edge
    await forge.deleteBranch(login, `${project.scm.owner}/library`, this.#branch)
    await this.#hear()
  }

  /** The pod's push is under review, and its merge request has this base. `from`: what the pod had in its clone. */
  async begin(base = 'main', from = this.tip()): Promise<void> {
    await this.#make(base)
    await this.push('bot', this.commit(this.work, from === ZERO_SHA ? this.tip(base) : from))
    const { forge, project } = this.#edge
    const work = { title: 'Work', body: '', head: this.#branch, base }
    const { number } = await forge.openPull('bot', `${project.scm.owner}/library`, work)
    const known = { ...aMergeRequest('library', this.tip(), number), headBranch: this.#branch, baseBranch: base }
    const id = known.mergeRequest
    this.#mergeRequest = { number, address: `merge-request:${id}`, drive: drive(mergeRequestMachine, id) }
    this.#task.mint({ kind: 'review', repositories: ['library'], issues: [], mergeRequests: [known] }).running()
    await this.#hear()
    this.#tell(this.#mergeRequest.drive.send({ type: 'mr.owned', task: taskId }))
  }

  async rebase(base: string): Promise<void> {
    await this.#make(base)
    const { forge, octokit } = this.#edge
    const { number } = this.#mergeRequest!
    const place = `/projects/${encodeURIComponent(PROJECT)}/merge_requests/${number}`
    if (this.#isGitlab) await ask(forge, 'stranger', 'PUT', place, { target_branch: base })
    else await octokit('stranger').pulls.update({ owner: 'acme', repo: 'library', pull_number: number, base })
    await this.#hear()
  }

  /** Deliveries of what comes next are lost. */
  lose(event: string): void {
    this.#edge.forge.faults.inject({ kind: 'drop', event, times: 1 })
  }

  /** It is done between the platform's question of what the merge makes of the base and its merge. */
  meanwhile(act: () => Promise<void>): void {
    const { mergeJudge } = this.#edge
    const judge: typeof mergeJudge.judge = async (question) => {
      this.#edge.mergeJudge = mergeJudge
      await act()
      return mergeJudge.judge(question)
    }
    this.#edge.mergeJudge = { ...mergeJudge, judge }
  }

  async report(name: string, conclusion: 'success' | 'failure'): Promise<void> {
    const check = { name, sha: this.tip(), status: 'completed', conclusion } as const
    this.#edge.forge.addCheck('maintainer', 'acme/library', check)
  }

  /** The reviewer likes what the forge shows. */
  async approve(): Promise<void> {
    const { edge, openForge, directory: projects } = this.#edge
    const graph = this.#down.has('who-pushed') ? nobodyIsForeign : gatewayGraph(this.#edge, this.#down)
    const foreignCommits = createReadForeign({ mirror: edge.mirror, graph })
    const heads = await readHeads(
      { projects, openForge, foreignCommits, readBack: createReadBack(edge.mirror) },
      this.#task.context,
      'approve',
    )
    const reviewed_shas = heads.map(({ repository: repo, number, sha }) => ({ repo, number, sha }))
    this.#task.approve({ reviewed_shas }, { heads })
    if (this.#task.answer?.status === 200) this.#asked = this.#task.final().only('mergeMergeRequest')[0]
  }

  /** Unless the Task has left the state that asked for it. */
  async merge(despite: readonly string[] = []): Promise<void> {
    if (this.#asked === undefined || this.#task.stage !== 'merging') return
    const { clock, edge, context } = this.#edge
    clock.advance(aWhileMs)
    for (let round = 0; round < 50; round++) {
      const asked = { ...this.#asked, despite: [...despite] }
      const [answer] = await edge.handlers.mergeMergeRequest.perform(asked, context(`${this.#branch}/${round}`))
      if (!/does not know yet/.test(String(answer?.event['reason']))) break
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async decide(despite: readonly string[] = []): Promise<void> {
    await this.approve()
    await this.merge(despite)
  }

  async #make(base: string): Promise<void> {
    if (this.tip(base) === ZERO_SHA) await this.push('maintainer', this.tip('main'), base)
  }

  async #hear(): Promise<void> {
    await this.#edge.quiet()
    for (const { to, event } of this.#edge.delivered.splice(0))
      if (to === this.#mergeRequest?.address) this.#tell(this.#mergeRequest.drive.send(this.#told(event)))
  }

  #tell(effects: Parameters<typeof sent>[0]): void {
    for (const { type, ...fields } of sent(effects, 'task')) this.#task.send(type, fields)
  }

  #told<Event extends object>(event: Event): Event {
    if (!this.#down.has('judged-base') || !('facts' in event)) return event
    return { ...event, facts: { ...(event.facts as object), baseBranch: 'main', base: 'main' } }
  }
}

const nobodyIsForeign: CommitGraph = { read: async () => ({ commits: [], missing: [] }) }

/** The gateway's own, over real git: the commits in memory are written down for it, under other names. */
function gatewayGraph({ dir: parent, path, directory }: EdgeFixture, down: Down): CommitGraph {
  const [dir, bare, names] = [join(parent, 'graph'), bareAt(path), new Map<string, string>()]
  const keep = (sha: string): string => {
    for (const one of historyOf(bare, sha).toReversed()) {
      const parents = commitAt(bare, one).parents.map((known) => names.get(known)!)
      const files = Object.fromEntries(filesOf(bare, one))
      if (!names.has(one)) names.set(one, writeCommit(dir, files, parents, 1000 * names.size))
    }
    return names.get(sha)!
  }
  const heads = async () => new Map([...bare.refs].map(([ref, sha]) => [ref, keep(sha)]))
  const pushOn = () => Promise.reject(new Error('nobody pushes here'))
  const quarantine = { git: treesIn(dir).plain, bring: async () => true, pushOn }
  const update: GitCache['update'] = async () => ({ dir, heads, quarantine: (use) => use(quarantine) })
  const cache = { update, forget: async () => undefined }
  const graph = createCommitGraph({ directory, cache, forgeIdOf: async () => '1' })
  const isForgiven = (parents: readonly string[]): boolean => down.has('own-merges') && parents.length > 1
  return {
    async read({ head, beside, ...place }) {
      const read = await graph.read({ ...place, head: keep(head), beside: beside.map(keep) })
      const back = new Map([...names].map(([known, written]) => [written, known]))
      const commits = read?.commits.map(({ sha, parents, isOwnMerge }) => ({
        sha: back.get(sha)!,
        parents: parents.map((parent) => back.get(parent)!),
        isOwnMerge: isOwnMerge || isForgiven(parents),
      }))
      return commits && { commits, missing: [] }
    },
  }
}

function portOf(down: Down): (port: ForgePort) => ForgePort {
  return (port) => {
    const onMain: ForgePort['mergeRequest'] = async (...of) => ({
      ...(await port.mergeRequest(...of)),
      baseBranch: 'main',
    })
    const base = down.has('judged-base') ? { mergeRequest: onMain } : {}
    return { ...port, ...base, ...(down.has('requirements') && { requiredChecks: async () => ({ names: [] }) }) }
  }
}

const repository = {
  permissions: { maintainer: 'admin', bot: 'admin', stranger: 'write' },
  rulesets: [{ branches: [STRICT], requiredChecks: ['build'], bypass: ['bot'] }],
} as const

const ofTools = { dialect: 'gitlab', owner: 'acme/tools' } as const

function openOver(options: EdgeFixtureOptions): (setting: Setting) => Promise<Stage<JudgementScene>> {
  return ({ down }) => {
    const open = (use: (edge: EdgeFixture) => Promise<void>): Promise<void> =>
      withForgeEdge({ ...options, before: portOf(down) }, async (edge) => {
        await run(edge.dir, ['init', '--quiet', '--bare', 'graph'])
        await edge.edge.handlers.checkProject.perform({ project: 'default/demo' }, edge.context('check'))
        await use(edge)
      })
    let scenes = 0
    return oneForAll(open, (edge) => new JudgementScene(edge, down, `review-library-${++scenes}`))
  }
}

export const openJudgements = openOver({ repository })
export const openJudgementsAtGitlab = openOver({ repository: { ...repository, ...ofTools }, project: ofGitlab })
