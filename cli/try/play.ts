/** The part of the person: reads plans, approves them by a comment on the issue or rejects them, and answers. */
import { Type, type Static } from 'typebox'
import { withoutMarkers } from '../../edges/forge/marker.ts'
import { people } from '../../standins/people.ts'
import { listAll } from '../client.ts'
import { costLine, explainTask } from '../why-lines.ts'
import { planLines, planOn, type ShownPlan } from '../forge/shown-plan.ts'
import { findPeople } from '../local/people-file.ts'
import type { Stack } from '../local/stack.ts'
import { print } from '../terminal.ts'
import type { Voice } from './voice.ts'

/** `stopped`: by the person. */
type End = 'merged' | 'failed' | 'waits' | 'stopped'

interface Options {
  readonly issue: number
  /** A person on the page is waited for, also without a terminal. */
  readonly keep: boolean
  readonly signal: AbortSignal
  readonly voice: Voice
}

const Task = Type.Object({
  metadata: Type.Object({ name: Type.String() }),
  status: Type.Object({
    stage: Type.String(),
    stageClass: Type.String(),
    planHash: Type.Union([Type.String(), Type.Null()]),
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

export async function play(stack: Stack, options: Options): Promise<{ readonly end: End; readonly spent?: string }> {
  const end = await untilEnd(stack, options)
  const task = await taskOf(stack, options.issue)
  if (task === undefined) return { end }
  const { name } = task.metadata
  if (end === 'failed') print(['', ...(await explainTask(stack.client, `default/${name}`))[1]])
  const { cost } = await stack.client.ask(Spent, 'GET', `/operations/why?task=default/${name}`)
  return cost === undefined ? { end } : { end, spent: costLine(cost) }
}

async function untilEnd(stack: Stack, { issue, keep, signal, voice }: Options): Promise<End> {
  // By plan: how many comments of the agent its person had read.
  const answered = new Map<string, number>()
  let parkedSince: number | undefined
  for (; !signal.aborted; await pause()) {
    const task = await taskOf(stack, issue)
    if (task === undefined) continue
    const { stage, stageClass } = task.status
    if (stageClass === 'terminal') return stage === 'delivered' ? 'merged' : 'failed'
    const plan = await planOf(stack, task, issue)
    const isWaiting = plan !== undefined && !isGranted(task, issue)
    const comments = commentsOf(stack, issue)
    parkedSince = stageClass === 'parked' ? (parkedSince ?? Date.now()) : undefined
    const parkedFor = parkedSince === undefined ? 0 : Date.now() - parkedSince
    if (parkedFor > parkedMs && !keep) return 'failed'
    const read = isWaiting ? (answered.get(plan.hash) ?? -1) : Infinity
    if (isWaiting && (comments.length > read || (read < Infinity && parkedFor > silentMs))) {
      if (answered.has(plan.hash)) print(['', ...(comments.at(-1) ?? '').split('\n').map((line) => `  ${line}`), ''])
      else print(planLines({ ...threadOf(stack, issue), task: task.metadata.name }, plan))
      answered.set(plan.hash, Infinity)
      if (process.stdin.isTTY) {
        const did = await answer(stack, task, plan, { issue, signal, voice })
        if (did === 'rejected') return 'stopped'
        parkedSince = undefined
        if (did === 'asked back') answered.set(plan.hash, commentsOf(stack, issue).length)
      } else if (!keep) return 'waits'
      else voice.write(`${people.maintainer} approves it on ${pageOf(stack, issue)}`)
    }
  }
  return 'stopped'
}

/** Words are a comment, and the question is moot once the page was used. */
async function answer(
  stack: Stack,
  task: Task,
  plan: ShownPlan,
  { issue, signal, voice }: Pick<Options, 'issue' | 'signal' | 'voice'>,
): Promise<'approved' | 'rejected' | 'asked back'> {
  const moot = new AbortController()
  const watch = setInterval(() => {
    void taskOf(stack, issue).then((now) => {
      if (signal.aborted || (now !== undefined && isGranted(now, issue))) moot.abort()
    })
  }, pollMs)
  const question = `Approve plan ${plan.hash} as ${people.maintainer}? [y/N, or words for the agent]`
  const words = (await voice.ask(question, moot.signal)).trim()
  clearInterval(watch)
  if (moot.signal.aborted) return 'approved'
  if (/^(no?)?$/i.test(words)) {
    print('rejected: nothing was approved')
    return 'rejected'
  }
  const isYes = /^y(es)?$/i.test(words)
  const now = await planOf(stack, task, issue)
  if (isYes && now?.words !== plan.words) print('another plan stands by now: nothing was approved')
  else stack.forge.comment(people.maintainer, stack.fullName, issue, isYes ? '/approve' : words)
  return isYes ? 'approved' : 'asked back'
}

/** What the agent wrote on the issue, without the comments that the platform keeps there. */
function commentsOf({ forge, fullName }: Stack, issue: number): readonly string[] {
  const comments = [...forge.issue(fullName, issue, 'issue').comments.values()]
  return comments
    .filter(({ author, body }) => author.login === people.bot && !topics.test(body))
    .map(({ body }) => withoutMarkers(body))
}

/** Undefined while the orchestrator starts again, or mints it. */
async function taskOf({ client }: Stack, issue: number): Promise<Task | undefined> {
  const tasks = await listAll<Task>(client, '/resources/tasks', {}, Task).catch(() => [])
  return tasks.findLast(({ status }) => status.issues.some(({ number }) => number === issue))
}

function isGranted({ status }: Task, issue: number): boolean {
  return status.issues.some(({ number, granted }) => number === issue && granted)
}

async function planOf(stack: Stack, { status }: Task, issue: number): Promise<ShownPlan | undefined> {
  const { forge, fullName: path } = stack
  if (status.planHash === null) return undefined
  const comments = [...forge.issue(path, issue, 'issue').comments.values()]
  const port = { listComments: async () => comments.map((one) => ({ ...one, updatedAt: Date.parse(one.updatedAt) })) }
  return planOn(port, { path, number: issue, botLogin: people.bot, forge: { provider: 'forge_a' } }, status.planHash)
}

function threadOf(stack: Stack, issue: number): { readonly name: string; readonly url: string } {
  const url = process.stdin.isTTY ? pageOf(stack, issue) : `${stack.endpoints.forge}/${stack.fullName}/issues/${issue}`
  return { name: `${stack.repository}#${issue}`, url }
}

/** Its key is a secret: for a terminal, or where a person is waited for. */
function pageOf({ forge, fullName, dir }: Stack, issue: number): string {
  return forge.pageOf(findPeople(dir)?.[people.maintainer]?.key ?? '', `${fullName}/issues/${issue}`)
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pollMs))
}
