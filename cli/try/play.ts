/** The part of the person: reads plans, approves them by a comment on the issue or rejects them, and answers. */
import { Type, type Static } from 'typebox'
import { people } from '../../standins/people.ts'
import { listAll } from '../server/client.ts'
import { costLine } from '../../machines/why/cost.ts'
import { explainTask } from '../output/why-lines.ts'
import { commentLines } from '../forge/comment-text.ts'
import { planLines, planOn, type ShownPlan } from '../forge/shown-plan.ts'
import { unset } from '../resource-view.ts'
import { findPeople } from '../local/people-file.ts'
import type { Stack } from '../local/stack.ts'
import type { Voice } from './voice.ts'

/** `waits`: for an approval. `parked`: for another word of a person. */
export type End = 'merged' | 'failed' | 'waits' | 'parked' | 'rejected' | 'interrupted'

type Seen = Pick<Stack, 'client' | 'forge' | 'fullName' | 'repository' | 'dir'>

interface Options {
  readonly issue: number
  /** A person on the page is waited for, also without a terminal. */
  readonly keep: boolean
  readonly isTerminal: boolean
  readonly signal: AbortSignal
  readonly voice: Voice
  /** Milliseconds of the system's clock. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<unknown>
}

const Task = Type.Object({
  metadata: Type.Object({ name: Type.String() }),
  status: Type.Object({
    stage: Type.String(),
    stageClass: Type.String(),
    planHash: unset(Type.String()),
    issues: Type.Array(Type.Object({ number: Type.Integer(), granted: Type.Boolean() })),
  }),
})
type Task = Static<typeof Task>

const Cost = Type.Object({ turns: Type.Number(), tokens: Type.Number(), usd: Type.Number() })
const Spent = Type.Object({ cost: Type.Optional(Cost) })

/** A parked Task may be about to go on by itself. */
const parkedMs = 20_000
/** After this an agent that was asked back has nothing to answer. */
const silentMs = 3_000
const pollMs = 500
const topics = /<!-- platform:topic=/

export async function play(stack: Seen, options: Options): Promise<{ readonly end: End; readonly spent?: string }> {
  const end = await untilEnd(stack, options)
  const task = await taskOf(stack, options.issue)
  if (task === undefined) return { end }
  if (end === 'failed' || end === 'parked') options.voice.write('', ...(await whyLines(stack, task)))
  const { cost } = await stack.client.ask(Spent, 'GET', `/operations/why?task=${idOf(task)}`)
  return cost === undefined ? { end } : { end, spent: costLine(cost) }
}

async function untilEnd(stack: Seen, options: Options): Promise<End> {
  const { issue, keep, isTerminal, signal, voice, now, sleep } = options
  // By plan: how many comments of the agent its person had read.
  const answered = new Map<string, number>()
  let parkedSince = Infinity
  let isPageShown = false
  for (; !signal.aborted; await sleep(pollMs)) {
    const task = await taskOf(stack, issue)
    if (task === undefined) continue
    const { stage, stageClass } = task.status
    if (stageClass === 'terminal') return stage === 'delivered' ? 'merged' : 'failed'
    parkedSince = stageClass === 'parked' ? Math.min(parkedSince, now()) : Infinity
    const parkedFor = now() - parkedSince
    if (parkedFor > parkedMs && !keep) return 'parked'
    const plan = isGranted(task, issue) ? undefined : await planOf(stack, task, issue)
    if (plan === undefined) {
      if (parkedFor > parkedMs && !isPageShown)
        voice.write('', ...(await whyLines(stack, task)), `${people.maintainer} can answer on ${pageOf(stack, issue)}`)
      isPageShown ||= parkedFor > parkedMs
      continue
    }
    const words = wordsOf(stack, issue)
    const read = answered.get(plan.hash)
    if (read === undefined) voice.write(...planLines({ ...threadOf(stack, options), task: task.metadata.name }, plan))
    else if (words.length > read || (read < Infinity && parkedFor > silentMs))
      voice.write('', ...commentLines(words.at(-1) ?? ''), '')
    else continue
    answered.set(plan.hash, Infinity)
    if (isTerminal) {
      const did = await answer(stack, task, plan, options)
      if (did === 'rejected') return 'rejected'
      parkedSince = Infinity
      if (did === 'asked back') answered.set(plan.hash, wordsOf(stack, issue).length)
    } else if (!keep) return 'waits'
    else voice.write(`${people.maintainer} approves it on ${pageOf(stack, issue)}`)
  }
  return 'interrupted'
}

/** Words are a comment, and the question is moot once the page was used. */
async function answer(
  stack: Seen,
  task: Task,
  plan: ShownPlan,
  { issue, signal, voice, sleep }: Options,
): Promise<'approved' | 'rejected' | 'asked back'> {
  const moot = new AbortController()
  const question = `Approve plan ${plan.hash} as ${people.maintainer}? [y/N, or words for the agent]`
  const asked = voice.ask(question, moot.signal).then((line) => line.trim())
  let words: string | undefined
  while ((words = await Promise.race([asked, sleep(pollMs).then(() => undefined)])) === undefined) {
    const now = await taskOf(stack, issue)
    if (signal.aborted || (now !== undefined && isGranted(now, issue))) moot.abort()
  }
  if (moot.signal.aborted) return 'approved'
  if (/^(no?)?$/i.test(words)) {
    voice.write('rejected: nothing was approved')
    return 'rejected'
  }
  const isYes = /^y(es)?$/i.test(words)
  const now = await planOf(stack, task, issue)
  if (isYes && now?.words !== plan.words) voice.write('another plan stands by now: nothing was approved')
  else stack.forge.comment(people.maintainer, stack.fullName, issue, isYes ? '/approve' : words)
  return isYes ? 'approved' : 'asked back'
}

function commentsOn({ forge, fullName }: Seen, issue: number) {
  return [...forge.issue(fullName, issue, 'issue').comments.values()]
}

/** What the agent wrote on the issue, without the comments that the platform keeps there. */
function wordsOf(stack: Seen, issue: number): readonly string[] {
  return commentsOn(stack, issue)
    .filter(({ author, body }) => author.login === people.bot && !topics.test(body))
    .map(({ body }) => body)
}

/** Undefined while the orchestrator starts again, or mints it. */
async function taskOf({ client }: Seen, issue: number): Promise<Task | undefined> {
  const tasks = await listAll<Task>(client, '/resources/tasks', {}, Task).catch(() => [])
  return tasks.findLast(({ status }) => status.issues.some(({ number }) => number === issue))
}

function isGranted({ status }: Task, issue: number): boolean {
  return status.issues.some(({ number, granted }) => number === issue && granted)
}

async function planOf(stack: Seen, { status }: Task, number: number): Promise<ShownPlan | undefined> {
  const { planHash } = status
  if (typeof planHash !== 'string') return undefined
  const comments = commentsOn(stack, number).map((one) => ({ ...one, updatedAt: Date.parse(one.updatedAt) }))
  const thread = { path: stack.fullName, number, botLogin: people.bot, forge: { provider: 'forge_a' } } as const
  return planOn({ listComments: async () => comments }, thread, planHash)
}

/** Without a terminal and `keep` nobody is waited for, and the forge stops: there is no link. */
function threadOf(stack: Seen, { issue, isTerminal, keep }: Options): { readonly name: string; readonly url?: string } {
  const name = `${stack.repository}#${issue}`
  return isTerminal || keep ? { name, url: pageOf(stack, issue) } : { name }
}

async function whyLines({ client }: Seen, task: Task): Promise<readonly string[]> {
  return (await explainTask(client, idOf(task)))[1]
}

function idOf({ metadata }: Task): string {
  return `default/${metadata.name}`
}

/** Its key is a secret: for a terminal, or where a person is waited for. */
function pageOf({ forge, fullName, dir }: Seen, issue: number): string {
  return forge.pageOf(findPeople(dir)?.[people.maintainer]?.key ?? '', `${fullName}/issues/${issue}`)
}
