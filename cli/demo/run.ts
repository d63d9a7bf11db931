/** One run of the main job on a stack of its own: open the issue, let people answer, wait for the end, judge it. */
import { listAll } from '../client.ts'
import { startStack, type Stack, type StackOptions } from '../local/stack.ts'
import { loginOf } from '../../standins/people.ts'
import type { KillRecord } from './chaos.ts'
import type { ClusterRecord } from './cluster-record.ts'
import { startChaos, type ChaosPlan } from './disturbance.ts'
import { startPeople } from './people.ts'
import { asksMemory, faultsOfMemory, untilRemembered } from './remembered.ts'
import { createReport, type Report } from './report.ts'
import { createTeller, openingOf } from './story.ts'
import { upgradeUnderLoad } from './upgrade.ts'
import { judge } from './verdict.ts'

export interface RunOptions extends Omit<StackOptions, 'onLine' | 'onNotice'> {
  readonly write: (text: string) => void
  readonly timeoutMs: number
  readonly chaos?: ChaosPlan
  /** Of what Helm installed, while a turn is open. */
  readonly upgrade?: boolean
  /** Leaves everything running; the caller stops the stack. */
  readonly keep: boolean
  /** Ends the run early, for example at Ctrl-C. */
  readonly signal: AbortSignal
}

export interface RunResult {
  readonly report: Report
  readonly kills: readonly KillRecord[]
  readonly stack: Stack
}

interface TaskView {
  readonly metadata: { readonly name: string }
  readonly status: {
    readonly stage: string
    readonly stageClass: string
    readonly stageReason?: string
    readonly pod: unknown
  }
}

export async function runMainJob(options: RunOptions): Promise<RunResult> {
  const startedAt = Date.now()
  const teller = createTeller(options.write, startedAt, Date.now)
  teller.say('starting forge, identity provider, model and orchestrator')
  const stack = await startStack({ ...options, onLine: teller.line, onNotice: teller.say })
  try {
    return await play(stack, options, teller.say, startedAt)
  } catch (error) {
    for (const left of await stack.stop()) teller.say(left)
    throw error
  }
}

async function play(
  stack: Stack,
  options: RunOptions,
  say: (text: string) => void,
  startedAt: number,
): Promise<RunResult> {
  const full = stack.fullName
  say(openingOf(stack.ready))
  say(`inspector: ${String(stack.ready['inspector'])}`)
  await untilReady(stack)
  const isAsked = options.memory === true && asksMemory(options.scenario)
  const remembered = isAsked ? await untilRemembered(stack, say) : undefined
  const recorder = stack.cluster && (await import('./cluster-record.ts')).recordCluster(stack.cluster)
  const crowd = startPeople(stack, options.scenario, say)
  if (options.scenario.task === undefined) throw new Error('the scenario opens no issue: it needs task.issue')
  const issue = openIssue(stack, full, options.scenario.task.issue, say)

  const chaos = options.chaos === undefined ? undefined : startChaos(stack, options.chaos, say)
  const { release, client, forge } = stack
  const upgrade =
    options.upgrade && release ? upgradeUnderLoad({ release, client, forge, write: say, now: Date.now }) : undefined
  const ended = await untilEnd(stack, {
    nobodyDue: () => crowd.idle() && (chaos?.idle() ?? true) && (upgrade?.idle() ?? true),
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    say,
  })
  const disturbed = await chaos?.end()
  const upgraded = await upgrade?.end()
  crowd.close()
  await stack.forge.idle()

  const verdict = await judge(stack.forge.audit(), {
    barePath: stack.barePath,
    defaultBranch: stack.defaultBranch,
    testCommand: options.testCommand,
  })
  const faults = [
    ...(ended === undefined ? [] : [ended]),
    ...verdict.faults,
    ...(issue.isNew && stack.model ? faultsOfMemory(options.scenario, stack.forge.audit(), remembered) : []),
    ...(disturbed?.faults ?? []),
    ...(upgraded?.faults ?? []),
  ]
  const written = await createReport(stack, {
    issue: issue.number,
    verdict: verdict.mergeRequest,
    faults,
    words: disturbed?.words ?? [],
    ...(remembered === undefined ? {} : { remembered }),
    durationMs: Date.now() - startedAt,
  })
  const report = upgraded?.record === undefined ? written : { ...written, upgrade: upgraded.record }
  const kills = disturbed?.kills ?? []
  if (options.keep) return { report, kills, stack }
  const ending = recorder && (await recorder.end())
  const left = await stack.stop()
  return { report: ending === undefined ? report : withCluster(report, ending, left), kills, stack }
}

function withCluster(
  report: Report,
  { record, faults }: { readonly record: ClusterRecord; readonly faults: readonly string[] },
  left: readonly string[],
): Report {
  const all = [...report.faults, ...faults, ...left]
  return { ...report, ok: all.length === 0, faults: all, kubernetes: record }
}

type IssueOfScenario = NonNullable<RunOptions['scenario']['task']>['issue']

/** Once: a stack that starts again on its folder goes on with the issue that is there. */
function openIssue(
  stack: Stack,
  full: string,
  { title, body, labels, as }: IssueOfScenario,
  say: (text: string) => void,
): { readonly number: number; readonly isNew: boolean } {
  const there = stack.forge.issues(full).find((issue) => issue.kind === 'issue' && issue.title === title)
  if (there !== undefined) return { number: there.number, isNew: false }
  const login = loginOf(as ?? 'reporter')
  const issue = stack.forge.openIssue(login, full, {
    title,
    body: body ?? '',
    labels: [...(labels ?? [stack.triggerLabel])],
  })
  say(`forge: ${login} opens issue #${issue.number}: ${title}`)
  return { number: issue.number, isNew: true }
}

const readyLimitMs = 60_000

export async function untilReady(stack: Stack): Promise<void> {
  const limit = Date.now() + readyLimitMs
  for (;;) {
    const project = (await stack.client.call('GET', `/resources/projects/${stack.namespace}/${stack.project}`)) as {
      status: { ready: boolean; reason: string; conditions: { message: string }[] }
    }
    if (project.status.ready) return
    if (Date.now() > limit)
      throw new Error(
        `the Project is not ready: ${project.status.reason} ${project.status.conditions[0]?.message ?? ''}`,
      )
    await pause(150)
  }
}

/** A park that nobody is going to move is an end too, after this long. */
const stuckMs = 20_000

interface Waiting {
  readonly nobodyDue: () => boolean
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly say: (text: string) => void
}

/** Undefined: every Task is over and no pod is left. Otherwise what keeps it from that. */
async function untilEnd(stack: Stack, { nobodyDue, timeoutMs, signal, say }: Waiting): Promise<string | undefined> {
  const limit = Date.now() + timeoutMs
  let stuckSince: number | undefined
  let awaited = ''
  for (; ; await pause(250)) {
    const read = await openAndTasks(stack)
    if (read !== undefined) {
      const { tasks, openPods } = read
      if (tasks.length > 0 && tasks.every(({ status }) => status.stageClass === 'terminal') && openPods === 0)
        return undefined
      const parked = tasks.find(({ status }) => status.stageClass === 'parked')
      stuckSince = parked !== undefined && openPods === 0 && nobodyDue() ? (stuckSince ?? Date.now()) : undefined
      if (parked !== undefined && stuckSince !== undefined && Date.now() - stuckSince > stuckMs) {
        return `the Task is parked at ${parked.status.stage} (${parked.status.stageReason ?? 'no reason'}) and nobody is due to move it`
      }
      const waits = tasks.map(({ metadata, status }) => `${metadata.name} at ${status.stage}`).join(', ')
      if (waits !== awaited) say(`awaited: ${waits || 'the Task'}`)
      awaited = waits
    }
    if (signal.aborted) return 'stopped before the end'
    if (Date.now() > limit)
      return `not done within ${Math.round(timeoutMs / 1000)} s: ${awaited || 'no Task was minted'}`
  }
}

async function openAndTasks(
  stack: Stack,
): Promise<{ readonly tasks: readonly TaskView[]; readonly openPods: number } | undefined> {
  try {
    const tasks = await listAll<TaskView>(stack.client, '/resources/tasks')
    const open = (await stack.client.call('GET', '/operations/open')) as {
      pods: unknown[]
      effects: { state: string }[]
    }
    return {
      tasks,
      openPods: open.pods.length + open.effects.filter(({ state }) => state !== 'dead').length,
    }
  } catch {
    // The orchestrator is being started again.
    return undefined
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
