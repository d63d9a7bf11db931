/** Puts a text where its family stands, brings an agent before it, and gives what that agent reads. */
import { join } from 'node:path'
import { people } from '../../standins/people.ts'
import { approvalOf } from '../../standins/model/approval.ts'
import { readBundle, type Bundle, type BundleThread } from '../../standins/model/bundle.ts'
import { branchIn } from '../../machines/task/queries.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { bareName } from '../../crd/resource-id.ts'
import { Agent } from './agent.ts'
import type { CorpusText, Family } from './corpus.ts'
import type { Standpoint } from './obey.ts'
import { repositoryName } from './home.ts'
import { triggerLabel, type Scene } from './scene.ts'
import { clone, commitFiles, freshBranch, git } from './workspace.ts'

/** `asked`: nobody has approved anything. `granted`: a maintainer has. `review`: of a reporter's merge request. */
export type Situation = 'asked' | 'granted' | 'review'

export interface Story {
  readonly situation: Situation
  readonly agent: Agent
  readonly task: string
  readonly number: number
  readonly at: Standpoint
  /** Every piece of text that others wrote, as the platform shows it. */
  readonly read: readonly string[]
  /** The first line of the text. */
  readonly planted: string
  /** Paths that a pushed commit has changed since it left the base. */
  changed(sha: string): Promise<readonly string[]>
}

export interface Bystander {
  readonly task: string
  readonly number: number
}

const onMergeRequest: ReadonlySet<Family> = new Set([
  'merge-requests',
  'files',
  'ci-logs',
  'commits',
  'branch-names',
  'check-names',
  'file-names',
])

export function situationsOf({ family }: CorpusText): readonly Situation[] {
  return onMergeRequest.has(family) ? ['review'] : ['asked', 'granted']
}

/** Somebody else's issue, whose Task has nothing to do with any text. */
export async function openBystander(scene: Scene): Promise<Bystander> {
  const number = scene.forge.openIssue(people.reporter, scene.home.repository, {
    title: 'Another wish',
    body: 'Of somebody else.',
    labels: [triggerLabel],
  }).number
  const agent = await agentOf(scene, 'issues', number)
  await scene.quiet()
  return { task: agent.task, number }
}

export async function tell(scene: Scene, text: CorpusText, situation: Situation, other: Bystander): Promise<Story> {
  const { number, head } =
    situation === 'review' ? await openMergeRequest(scene, text) : { number: openIssue(scene, text), head: '' }
  scene.memory = text.family === 'memories' ? text.text : ''
  const agent = await agentOf(scene, situation === 'review' ? 'mergeRequests' : 'issues', number)
  if (text.family === 'comments')
    scene.forge.comment(people.stranger, scene.home.repository, number, scene.home.written(text.text).slice(0, 60_000))
  if (text.family === 'memories') await agent.call('task_note', { kind: 'finding', body: text.text.slice(0, 32_000) })
  const plan = situation === 'granted' ? await getGrant(scene, agent, number) : ''
  await scene.quiet()
  const context = await contextOf(scene, agent)
  const bundle = await bundleOf(agent)
  const threads = [...bundle.issues, ...bundle.mergeRequests]
  return {
    situation,
    agent,
    task: agent.pod.spec.task,
    number,
    at: {
      branch: situation === 'review' ? `platform/${agent.task}` : branchIn(context, repositoryName),
      number,
      head,
      plan,
      comments: threads.flatMap(({ comments }) =>
        comments.map(({ external_id: id, author, body }) => ({ id, author, body })),
      ),
      otherTask: other.task,
      otherNumber: other.number,
    },
    read: await everythingRead(scene, agent, bundle, { number, isReview: situation === 'review' }),
    planted: text.text.trim().split('\n')[0]!.slice(0, 200),
    changed: async (sha) => {
      const bare = join(scene.dir, 'forge', 'repositories', `${scene.home.repository}.git`)
      const { code, said } = await git(bare, ['diff', '--name-only', `main...${sha}`])
      return code === 0 ? said.split('\n') : []
    },
  }
}

function openIssue(scene: Scene, { family, text }: CorpusText): number {
  const title = text.trim().replaceAll(/\s+/g, ' ').slice(0, 250)
  const input =
    family === 'titles'
      ? { title, body: 'As the title says.' }
      : { title: 'A small wish', body: family === 'issues' ? text.slice(0, 60_000) : 'Please tidy up.' }
  const labels = [triggerLabel, ...(family === 'labels' ? [text.trim()] : [])]
  return scene.forge.openIssue(people.reporter, scene.home.repository, { ...input, labels }).number
}

let visits = 0

async function openMergeRequest(scene: Scene, { family, text }: CorpusText): Promise<{ number: number; head: string }> {
  const {
    forge,
    home: { owner, repository, written },
  } = scene
  const dir = join(scene.dir, 'reporter')
  const url = new URL(forge.gitUrl(owner, repositoryName))
  Object.assign(url, { username: 'x-access-token', password: `token-of-${people.reporter}` })
  const there = await git(dir, ['fetch', '--quiet', 'origin']).catch(() => ({ code: 1 }))
  if (there.code !== 0) await clone(url.href, dir)
  await freshBranch(dir, 'origin/main')
  visits += 1
  const branch = `visit-${visits}${family === 'branch-names' ? `/${text.trim()}` : ''}`
  const files: Record<string, string> =
    family === 'files'
      ? { [`docs/notes-${visits}.md`]: text, [`src/code-${visits}.ts`]: `/*\n${text}\n*/\n` }
      : family === 'file-names'
        ? { [text.trim()]: 'By hand.\n' }
        : {}
  const message = family === 'commits' ? text : 'By hand'
  await commitFiles(dir, { [`src/visit-${visits}.txt`]: 'By hand.\n', ...files }, message)
  const pushed = await git(dir, ['push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`])
  if (pushed.code !== 0) throw new Error(pushed.said)
  const head = (await git(dir, ['rev-parse', 'HEAD'])).said
  const body = family === 'merge-requests' ? text.slice(0, 60_000) : 'By hand.'
  const { number } = await forge.openPull(people.reporter, repository, {
    title: 'A visit',
    body,
    head: branch,
    base: 'main',
  })
  if (family === 'ci-logs') failCheck(scene, head, 'test', text)
  if (family === 'check-names') failCheck(scene, head, text.trim(), 'One test failed.')
  forge.addLabel(people.reporter, repository, number, triggerLabel, 'pull')
  if (family === 'merge-requests')
    forge.comment(people.stranger, repository, number, written(text).slice(0, 60_000), 'pull')
  return { number, head }
}

function failCheck({ forge, home }: Scene, sha: string, name: string, log: string): void {
  const output = { title: 'Tests failed', summary: log.slice(0, 1000), text: log }
  forge.addCheck(people.maintainer, home.repository, { name, sha, status: 'completed', conclusion: 'failure', output })
}

/** The agent at its first turn in the Task of this thread. */
export async function agentOf(scene: Scene, threads: 'issues' | 'mergeRequests', number: number): Promise<Agent> {
  const { runtime, pods } = scene
  const task = await scene.until(`the Task of #${number}`, async () =>
    (await runtime.list('task', { limit: 500 }))
      .map(({ context }) => context as unknown as TaskContext)
      .find((context) => context.forge[threads].some((thread) => thread.number === number)),
  )
  const pod = await scene.until(`a turn of ${task.id}`, () => pods.of(task.id).find(({ turns }) => turns.length > 0))
  await scene.until(`the turn of ${task.id} runs`, async () =>
    (await runtime.read(`turn:${pod.spec.pod}/0`))?.path.startsWith('open.running'),
  )
  return new Agent(scene, pod)
}

export async function contextOf({ runtime }: Scene, agent: Agent): Promise<TaskContext> {
  return (await runtime.read(`task:${agent.pod.spec.task}`))?.context as unknown as TaskContext
}

/** As an honest agent gets it: a plan, a maintainer's word, a true citation. Its note's id. */
async function getGrant(scene: Scene, agent: Agent, number: number): Promise<string> {
  const note = (await agent.call('task_note', { kind: 'plan', body: '1. Tidy up.' })) as { readonly id: string }
  await scene.quiet()
  scene.forge.comment(people.maintainer, scene.home.repository, number, scene.home.written('/approve'))
  await scene.quiet()
  const issue = (await bundleOf(agent)).issues.find((one) => one.number === number)
  const cited = issue && approvalOf(issue)
  if (!cited) throw new Error('the approval is not in the bundle')
  const said = await agent.submit('implement', {
    action: 'approved',
    reason: 'A maintainer says so.',
    approving_maintainer: people.maintainer,
    plan_note_id: note.id,
    approval_citations: [{ id: cited.external_id, quote: cited.quote }],
  })
  if (said.status !== 200) throw new Error(`no grant: ${said.body}`)
  await scene.until('the grant', async () =>
    Object.values((await contextOf(scene, agent)).forge.issues).every(({ grant }) => grant !== null),
  )
  return note.id
}

export async function bundleOf(agent: Agent): Promise<Bundle> {
  const { body } = await agent.request('GET', `/tasks/${agent.task}/context?notes=all`)
  const bundle = readBundle(body) ?? readBundle(agent.pod.turns[0]?.text ?? '')
  if (!bundle) throw new Error(`no bundle: ${body.slice(0, 300)}`)
  return bundle
}

/** By every way of reading that there is; what the platform itself says is left out, for it orders nothing. */
async function everythingRead(
  scene: Scene,
  agent: Agent,
  bundle: Bundle,
  { number, isReview }: { readonly number: number; readonly isReview: boolean },
): Promise<readonly string[]> {
  const repo = repositoryName
  const answers = [
    await agent.call('memory_query', { mode: 'naive', text: 'what is to be done' }),
    isReview ? await agent.call('scm_read', { kind: 'ci', repo, number }) : await labelsOf(agent, number),
  ]
  const threads = [...bundle.issues, ...bundle.mergeRequests].flatMap(textsOf)
  const rest = [...bundle.notes.map(({ body }) => body), ...bundle.events.map(({ text }) => text)]
  const files = isReview ? await checkedOut(scene, agent, bundle) : []
  const all = [...threads, ...rest, ...answers.flatMap(leavesOf), ...files].map((text) => text.trim())
  return [...new Set(all)].filter((text) => text.length > 5)
}

async function labelsOf(agent: Agent, number: number): Promise<unknown> {
  const answer = await agent.call('scm_read', { kind: 'issues', repo: repositoryName, number })
  return (answer as { readonly items?: readonly { readonly labels: readonly string[] }[] } | undefined)?.items?.[0]
    ?.labels
}

function textsOf(thread: BundleThread & { readonly head_branch?: string }): readonly string[] {
  const { title, body, head_branch: branch = '', comments } = thread
  return [title, body, branch, ...comments.filter(({ bot }) => !bot).map((comment) => comment.body)]
}

/** The change as git shows it, messages too. */
async function checkedOut(scene: Scene, agent: Agent, { mergeRequests }: Bundle): Promise<readonly string[]> {
  const dir = join(scene.dir, 'workspaces', `read-${bareName(agent.pod.spec.task)}`)
  agent.noteGit('clone', await clone(agent.gitUrl('demo', repositoryName), dir))
  const told = await Promise.all(
    mergeRequests.map(({ head_sha: sha }) => git(dir, ['log', '-p', '--format=%B', `origin/main..${sha}`])),
  )
  return told.map(({ said }) => said)
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : []
}
