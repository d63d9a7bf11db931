/** One run of the main job on a stack of its own: open the issue, let people answer, wait for the end, judge it. */
import { inspectorLink } from '../server/client.ts'
import { startStack, type Stack, type StackOptions } from '../local/stack.ts'
import { whileNamed } from '../local/processes/while-named.ts'
import { loginOf } from '../../standins/people.ts'
import type { KillRecord } from './chaos.ts'
import type { ClusterRecord } from './cluster-record.ts'
import { startChaos, type ChaosPlan } from './disturbance.ts'
import { issueOf, startPeople } from './people.ts'
import { asksMemory, faultsOfMemory, untilRemembered } from './remembered.ts'
import { createReport, tasksOf, type Report, type TaskResource } from './report.ts'
import { createTeller, openingOf } from './story.ts'
import { upgradeUnderLoad } from './upgrade.ts'
import { judge } from './verdict.ts'

interface StartOptions extends Omit<StackOptions, 'onLine' | 'onNotice'> {
  readonly write: (text: string) => void
}

export interface RunOptions extends StartOptions {
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

interface Started {
  readonly stack: Stack
  readonly write: (text: string) => void
  /** Milliseconds of the system's clock. */
  readonly startedAt: number
}

/** A stack whose Project is ready; each step that lasts is named. */
export async function startNamed(options: StartOptions): Promise<Started> {
  const startedAt = Date.now()
  const teller = createTeller(options.write, startedAt, Date.now)
  const write = teller.say
  const stack = await startStack({ ...options, onLine: teller.line, onNotice: write })
  try {
    write(openingOf(stack.ready))
    await whileNamed(write, 'the platform checks the Project at the forge', untilReady(stack))
    teller.ready(`${stack.namespace}/${stack.project}`)
    return { stack, write, startedAt }
  } catch (error) {
    for (const left of await stack.stop()) write(left)
    throw error
  }
}

export async function runMainJob(options: RunOptions): Promise<RunResult> {
  const started = await startNamed(options)
  try {
    started.write(`inspector: ${await inspectorLink(started.stack.client)}`)
    return await play(started, options)
  } catch (error) {
    for (const left of await started.stack.stop()) started.write(left)
    throw error
  }
}

export async function play(
  { stack, write, startedAt }: Started,
  options: Omit<RunOptions, keyof StartOptions> & Pick<StartOptions, 'scenario' | 'memory' | 'testCommand'>,
): Promise<RunResult> {
  const isAsked = options.memory === true && asksMemory(options.scenario)
  const remembered = isAsked
    ? await whileNamed(write, 'the memory reads the repository', untilRemembered(stack, write))
    : undefined
  const recorder = stack.cluster && (await import('./cluster-record.ts')).recordCluster(stack.cluster)
  const crowd = startPeople(stack, options.scenario, write)
  const issue = openIssue(stack, options.scenario, write)

  const chaos = options.chaos === undefined ? undefined : startChaos(stack, options.chaos, write)
  const { release, client, forge } = stack
  const upgrade =
    options.upgrade && release ? upgradeUnderLoad({ release, client, forge, write, now: Date.now }) : undefined
  const ended = await untilEnd(stack, {
    issue: issue.number,
    nobodyDue: () => crowd.idle() && (chaos?.idle() ?? true) && (upgrade?.idle() ?? true),
    timeoutMs: options.timeoutMs,
    signal: options.signal,
    write,
  })
  const disturbed = await chaos?.end()
  const upgraded = await upgrade?.end()
  crowd.close()
  await stack.forge.idle()

  const tasks = await tasksOf(stack.client, issue.number)
  const verdict = await judge(auditOf(stack.forge.audit(), issue.number, tasks), {
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
    tasks,
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

/** Once: a stack that starts again on its folder goes on with the issue that is there. */
function openIssue(
  stack: Stack,
  scenario: RunOptions['scenario'],
  write: (text: string) => void,
): { readonly number: number; readonly isNew: boolean } {
  if (scenario.task === undefined) throw new Error('the scenario opens no issue: it needs task.issue')
  const there = issueOf(stack.forge, stack.fullName, scenario)
  if (there !== undefined) return { number: there.number, isNew: false }
  const { title, body, labels, as } = scenario.task.issue
  const login = loginOf(as ?? 'reporter')
  const issue = stack.forge.openIssue(login, stack.fullName, {
    title,
    body: body ?? '',
    labels: [...(labels ?? [stack.triggerLabel])],
  })
  write(`forge: ${login} opens issue #${issue.number}: ${title}`)
  return { number: issue.number, isNew: true }
}

/** What was done to the issue and to the merge requests of its Tasks: people may work on others beside. */
function auditOf(
  audit: ReturnType<Stack['forge']['audit']>,
  issue: number,
  tasks: readonly TaskResource[],
): ReturnType<Stack['forge']['audit']> {
  const own = new Set(tasks.flatMap(({ status }) => status.mergeRequests.map(({ number }) => number)))
  return audit.filter(({ number, kind, action }) => {
    const isOnIssue = kind === 'issue' || action.startsWith('issue.')
    return number === undefined || (isOnIssue ? number === issue : own.has(number))
  })
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
  readonly issue: number
  readonly nobodyDue: () => boolean
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly write: (text: string) => void
}

/** Undefined: every Task is over and no pod is left. Otherwise what keeps it from that. */
async function untilEnd(
  stack: Stack,
  { issue, nobodyDue, timeoutMs, signal, write }: Waiting,
): Promise<string | undefined> {
  const limit = Date.now() + timeoutMs
  let stuckSince: number | undefined
  let awaited = ''
  for (; ; await pause(250)) {
    const read = await openAndTasks(stack, issue)
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
      if (waits !== awaited) write(`awaited: ${waits || 'the Task'}`)
      awaited = waits
    }
    if (signal.aborted) return 'stopped before the end'
    if (Date.now() > limit)
      return `not done within ${Math.round(timeoutMs / 1000)} s: ${awaited || 'no Task was minted'}`
  }
}

async function openAndTasks(
  stack: Stack,
  issue: number,
): Promise<{ readonly tasks: readonly TaskResource[]; readonly openPods: number } | undefined> {
  try {
    const tasks = await tasksOf(stack.client, issue)
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
