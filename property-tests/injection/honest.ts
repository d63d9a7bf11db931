/** An agent that does its work, and people who decide about it: from the plan to the merge, step by step. Test code only. */
import { join } from 'node:path'
import { people } from '../../standins/people.ts'
import { approvalOf } from '../../standins/model/approval.ts'
import { branchIn } from '../../machines/task/queries.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { Agent, type Heard } from './agent.ts'
import { canaries } from './canaries.ts'
import { repositoryName, type AskForge } from './home.ts'
import { createRepository, manifestsOf, project, triggerLabel, type Scene } from './scene.ts'
import { agentOf, bundleOf, contextOf } from './stories.ts'
import { clone, commitFiles, git, type Ran } from './workspace.ts'

let works = 0

export class Work {
  readonly scene: Scene
  readonly issue: number
  /** Of its newest pod. */
  agent: Agent
  /** By repository, as pushed last. */
  readonly heads = new Map<string, string>()

  private constructor(scene: Scene, issue: number, agent: Agent) {
    this.scene = scene
    this.issue = issue
    this.agent = agent
  }

  static async begin(scene: Scene): Promise<Work> {
    const wish = { title: 'A small wish', body: 'Please tidy up.', labels: [triggerLabel] }
    const issue = scene.forge.openIssue(people.reporter, scene.home.repository, wish).number
    return new Work(scene, issue, await agentOf(scene, 'issues', issue))
  }

  /** Of a Task that a person applied: it owns no issue. */
  static async byHand(scene: Scene, name: string, kind: string, repositories: readonly string[]): Promise<Work> {
    const spec = { projectRef: project, kind, goal: 'Tidy up', repositories }
    await apply(scene, { apiVersion: 'platform.dev/v1alpha1', kind: 'Task', metadata: { name }, spec })
    const pod = await scene.until(`a pod of ${name}`, () => scene.pods.of(`default/${name}`)[0])
    const work = new Work(scene, 0, new Agent(scene, pod))
    await work.#atWork()
    return work
  }

  context(): Promise<TaskContext> {
    return contextOf(this.scene, this.agent)
  }

  async plan(words: string): Promise<void> {
    await this.note('plan', words)
    await this.scene.quiet()
  }

  async note(kind: string, body: string): Promise<void> {
    const { status, body: said } = await this.agent.request(
      'POST',
      this.#path('/notes'),
      JSON.stringify({ kind, body }),
    )
    if (status !== 201) throw new Error(said)
  }

  async bundle(notes: 'recent' | 'all'): Promise<string> {
    return (await this.agent.request('GET', this.#path(`/context?notes=${notes}`))).body
  }

  /** In another second than all before: forges date comments so. The id of the comment. */
  async says(login: string, words: string): Promise<number> {
    const second = (): number => Math.floor(Date.now() / 1000)
    const now = second()
    await this.scene.until('another second', () => second() > now)
    const { id } = this.scene.forge.comment(login, this.scene.home.repository, this.issue, words)
    await this.scene.quiet()
    return id
  }

  /** A maintainer's word on the newest plan, cited as the bundle shows it; the id of the comment. */
  async approve(login: string = people.maintainer): Promise<number> {
    const said = await this.says(login, this.scene.home.written('/approve'))
    await this.claim(login, said)
    await this.scene.until('the grant', async () =>
      (await this.context()).forge.issues.every(({ grant }) => grant !== null),
    )
    await this.scene.quiet()
    return said
  }

  async claim(login: string, said: number): Promise<Heard> {
    const issue = (await bundleOf(this.agent)).issues.find(({ number }) => number === this.issue)!
    const comments = issue.comments.filter(({ external_id }) => external_id === String(said))
    const cited = approvalOf({ ...issue, comments })
    return this.submit({
      action: 'approved',
      reason: `${login} says so.`,
      approving_maintainer: login,
      plan_note_id: (await this.context()).journal.planNoteId,
      approval_citations: [{ id: String(said), quote: cited?.quote ?? this.scene.home.written('/approve') }],
    })
  }

  submit(payload: object): Promise<Heard> {
    return this.agent.submit(this.agent.pod.spec.agentKind, payload)
  }

  handIn(more: object = {}): Promise<Heard> {
    const said = { title: 'Tidy up', body: 'It is tidy.', change_significance: 'patch', ...more }
    return this.submit({ action: 'submitted', ...said })
  }

  openMergeRequest(): Promise<Heard> {
    const wanted = { action: 'open', repo: repositoryName, title: 'Tidy up', body: 'It is tidy.' }
    return this.agent.request('POST', this.#path('/merge-requests'), JSON.stringify(wanted))
  }

  /** Through the gateway, with the pod's own token. */
  async push(into = repositoryName): Promise<Ran> {
    works += 1
    const dir = join(this.scene.dir, 'workspaces', `work-${works}`)
    const branch = branchIn(await this.context(), into)
    await clone(this.agent.gitUrl(project, into), dir)
    const there = await git(dir, ['checkout', '--quiet', '-B', 'work', `origin/${branch}`])
    if (there.code !== 0) await git(dir, ['checkout', '--quiet', '-B', 'work', 'origin/main'])
    await commitFiles(dir, { [`src/work-${works}.txt`]: 'Tidy.\n' }, 'Tidy up')
    const ran = await git(dir, ['push', 'origin', `HEAD:refs/heads/${branch}`])
    if (ran.code === 0) this.heads.set(into, (await git(dir, ['rev-parse', 'HEAD'])).said)
    return ran
  }

  endTurn(pushed: readonly string[] = []): Promise<void> {
    return this.scene.pods.endTurn(this.agent.pod, pushed)
  }

  /** The next pod of the Task, of this kind, at work. */
  async nextPod(kind: string): Promise<void> {
    const { scene } = this
    const { task, ordinal: last } = this.agent.pod.spec
    const pod = await scene.until(`a ${kind} pod of ${task}`, () =>
      scene.pods.of(task).find(({ spec, turns }) => spec.ordinal > last && spec.agentKind === kind && turns.length > 0),
    )
    this.agent = new Agent(scene, pod)
    await this.#atWork()
  }

  async #atWork(): Promise<void> {
    const { pod } = this.agent.pod.spec
    await this.scene.until(`the turn of ${pod} runs`, async () =>
      (await this.scene.runtime.read(`turn:${pod}/0`))?.path.startsWith('open.running'),
    )
    await this.scene.quiet()
  }

  /** Pushed, submitted, and before its reviewer. */
  async toReview(): Promise<void> {
    const pushed = await this.push()
    if (pushed.code !== 0) throw new Error(pushed.said)
    const { status, body } = await this.handIn()
    if (status !== 200) throw new Error(body)
    await this.endTurn([repositoryName])
    await this.nextPod('review')
  }

  /** Approved by its reviewer on the heads as they are. */
  async toMerging(): Promise<void> {
    const open = (await this.context()).forge.mergeRequests.filter(({ state }) => state === 'open')
    const reviewed = open.map((mr) => ({ repo: mr.repository, number: mr.number, sha: mr.headSha }))
    const { status, body } = await this.submit({ verdict: 'approve', reviewed_shas: reviewed })
    if (status !== 200) throw new Error(body)
    await this.endTurn()
  }

  async stageIs(stage: string): Promise<TaskContext> {
    try {
      return await this.scene.until(`the Task is at ${stage}`, async () => {
        const context = await this.context()
        return context.stage.name === stage && context
      })
    } catch (cause) {
      const { name: other, reason: stageReason, detail: stageDetail } = (await this.context()).stage
      throw new Error(`in vain: ${stage}; the Task is at ${other}, ${stageReason}, ${stageDetail}`, { cause })
    }
  }

  /** What CI says of the newest heads, so that a merge waits for it. */
  async ci(state: 'pending' | 'success'): Promise<void> {
    const { owner, placeOf, ways } = this.scene.home
    for (const [name, head] of this.heads)
      await askForge(this.scene, ways.status(placeOf(`${owner}/${name}`), head, state))
  }

  merges(): number {
    return this.scene.forge.audit().filter(({ action }) => action === 'pull.merge').length
  }

  #path(rest: string): string {
    return `/tasks/${encodeURIComponent(this.agent.task)}${rest}`
  }
}

async function askForge({ forge, home }: Scene, [method, path, body]: AskForge): Promise<void> {
  const headers = { authorization: `Bearer ${canaries.maintainerToken}`, 'content-type': 'application/json' }
  const answer = await fetch(`${home.apiOf(forge)}${path}`, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`the forge answered ${answer.status}: ${await answer.text()}`)
}

/** As an operator's client: a resource is applied, and what follows from it is worked off. */
export async function apply(scene: Scene, resource: object): Promise<void> {
  const headers = { authorization: `Bearer ${canaries.operatorToken}`, 'content-type': 'application/json' }
  const answer = await fetch(`${scene.url}/resources`, { method: 'PUT', headers, body: JSON.stringify(resource) })
  if (answer.status !== 200) throw new Error(`a resource was refused: ${await answer.text()}`)
  await scene.quiet()
}

/** These may approve from now on, and nobody else. */
export async function setMaintainers(scene: Scene, maintainerLogins: readonly string[]): Promise<void> {
  const manifest = manifestsOf(scene).find(({ kind }) => kind === 'Project')!
  await apply(scene, { ...manifest, spec: { ...manifest.spec, scm: { ...manifest.spec.scm, maintainerLogins } } })
}

/** Another one of the Project, with the same sources. */
export async function addRepository(scene: Scene, name: string): Promise<void> {
  await createRepository(scene, name, join(scene.dir, 'source'))
  const url = `${scene.forge.url}/${scene.home.owner}/${name}.git`
  const spec = { projectRef: project, url, defaultBranch: 'main' }
  await apply(scene, { apiVersion: 'platform.dev/v1alpha1', kind: 'Repository', metadata: { name }, spec })
}

/** The Task as its resource shows it to people. */
export async function statusOf(scene: Scene, task: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${canaries.operatorToken}` }
  const answer = await fetch(`${scene.url}/resources/tasks/default/${task}`, { headers })
  if (!answer.ok) return {}
  const { status } = (await answer.json()) as { readonly status: Record<string, unknown> }
  return status
}
