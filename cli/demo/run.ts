/** One run of the main job on a stack of its own: open the issue, let people answer, wait for the end, judge it. */
import { inspectorLink } from '../server/client.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { stackServes, type ServingStack } from '../local/cluster/memory-stack.ts'
import { startStack, type Stack, type StackOptions } from '../local/stack.ts'
import type { AuditEntry } from '../local/standins.ts'
import { whileNamed } from '../local/processes/while-named.ts'
import { loginOf } from '../../standins/people.ts'
import { startChaos, type ChaosPlan } from './chaos.ts'
import { openOf, startResending, type Disturbance } from './open.ts'
import { issueOf, startPeople } from './people.ts'
import { asksMemory, faultsOfMemory, untilRemembered } from './memory/remembered.ts'
import { createReport, tasksOf, type Report, type TaskResource } from './report.ts'
import { recordStack } from './memory/stack-record.ts'
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

interface Started {
  readonly stack: Stack
  readonly write: (text: string) => void
  /** Of the Project, in pods. */
  readonly memoryStack: ServingStack | undefined
  /** Milliseconds of the system's clock. */
  readonly startedAt: number
}

export type RunResult = Pick<Started, 'stack'> & { readonly report: Report }

/** A stack whose Project is ready; each step that lasts is named. */
export async function startNamed(options: StartOptions): Promise<Started> {
  const startedAt = Date.now()
  const teller = createTeller(options.write, startedAt, Date.now)
  const write = teller.print
  const stack = await startStack({ ...options, onLine: teller.line, onNotice: write })
  try {
    write(openingOf(stack.ready))
    await whileNamed(write, 'the platform checks the Project at the forge', untilReady(stack))
    teller.ready(`${stack.namespace}/${stack.project}`)
    const memoryStack =
      options.memoryStack && stack.cluster ? await stackServes(stack.client, stack.cluster, write) : undefined
    return { stack, write, startedAt, memoryStack }
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
  { stack, write, startedAt, memoryStack }: Started,
  options: Omit<RunOptions, keyof StartOptions> & Pick<StartOptions, 'scenario' | 'memory' | 'testCommand'>,
): Promise<RunResult> {
  const { client, forge, release } = stack
  const { scenario, chaos, upgrade, testCommand } = options
  const isAsked = options.memory === true && asksMemory(scenario)
  const remembered = isAsked
    ? await whileNamed(write, 'the memory reads the repository', untilRemembered(stack, write))
    : undefined
  const recorder = stack.cluster && (await import('./cluster-record.ts')).recordCluster(stack.cluster)
  const crowd = startPeople(stack, scenario, write)
  const issue = openIssue(stack, scenario, write)
  const disturbances: readonly Disturbance<Partial<Report>>[] = [
    ...(chaos === undefined ? [] : [startChaos(stack, chaos, write)]),
    ...(upgrade && release ? [upgradeUnderLoad(release, client, write)] : []),
  ]
  const resending = disturbances.length === 0 ? undefined : startResending(forge, Date.now)
  const isNobodyDue = (): boolean =>
    crowd.idle() && disturbances.every((one) => one.idle()) && resending?.idle() !== false
  const ended = await untilEnd(stack, issue.number, isNobodyDue, { ...options, write })
  const disturbed: Awaited<ReturnType<Disturbance<Partial<Report>>['end']>>[] = []
  for (const one of disturbances) disturbed.push(await one.end())
  resending?.close()
  crowd.close()
  await forge.idle()
  const stackRecord = memoryStack && (await recordStack(stack, memoryStack))

  const tasks = await tasksOf(client, issue.number)
  const audit = forge.audit()
  const { faults, mergeRequest } = await judge(auditOf(audit, issue.number, tasks), { ...stack, testCommand })
  const written = await createReport(stack, {
    issue: issue.number,
    tasks,
    mergeRequest,
    faults: [
      ...(ended === undefined ? [] : [ended]),
      ...faults,
      ...(issue.isNew && stack.model ? faultsOfMemory(scenario, audit, remembered) : []),
      ...(stackRecord?.faults ?? []),
      ...disturbed.flatMap((one) => one.faults),
    ],
    remembered: remembered ?? null,
    durationMs: Date.now() - startedAt,
  })
  const remembering = stackRecord === undefined ? {} : { memory: stackRecord.report }
  const report = disturbed.reduce((whole, one): Report => ({ ...whole, ...one.report }), { ...written, ...remembering })
  if (options.keep) {
    recorder?.close()
    return { report, stack }
  }
  const recorded = await recorder?.end()
  const all = [...report.faults, ...(recorded?.faults ?? []), ...(await stack.stop())]
  return { report: { ...report, ...recorded?.report, ok: all.length === 0, faults: all }, stack }
}

/** Once: a stack that starts again on its folder goes on with the issue that is there. */
export function openIssue(
  stack: Stack,
  scenario: RunOptions['scenario'],
  write: (text: string) => void = () => undefined,
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
function auditOf(audit: readonly AuditEntry[], issue: number, tasks: readonly TaskResource[]): readonly AuditEntry[] {
  const own = new Set(tasks.flatMap(({ status }) => status.mergeRequests.map(({ number }) => number)))
  return audit.filter(({ number, kind, action }) => {
    const isOnIssue = kind === 'issue' || action.startsWith('issue.')
    return number === undefined || (isOnIssue ? number === issue : own.has(number))
  })
}

const readyLimitMs = 60_000

async function untilReady(stack: Stack): Promise<void> {
  const limit = Date.now() + readyLimitMs
  for (; ; await pause(150)) {
    const project = await stack.client.call('GET', `/resources/projects/${stack.namespace}/${stack.project}`)
    const { status } = project as { status: { ready: boolean; reason: string; conditions: { message: string }[] } }
    if (status.ready) return
    if (Date.now() > limit)
      throw new Error(`the Project is not ready: ${status.reason} ${status.conditions[0]?.message ?? ''}`)
  }
}

/** A park that nobody is going to move is an end too, after this long. */
const stuckMs = 20_000

/** Undefined: every Task is over and no pod is left. Otherwise what keeps it from that. */
async function untilEnd(
  { client }: Stack,
  issue: number,
  isNobodyDue: () => boolean,
  { timeoutMs, signal, write }: Pick<RunOptions, 'timeoutMs' | 'signal' | 'write'>,
): Promise<string | undefined> {
  const limit = Date.now() + timeoutMs
  let stuckSince: number | undefined
  let awaited = ''
  for (; ; await pause(250)) {
    // Neither answers while the orchestrator is being started again.
    const tasks = await tasksOf(client, issue).catch(() => undefined)
    const open = tasks && (await openOf(client))
    if (tasks !== undefined && open !== undefined) {
      const isQuiet = open.pods.length === 0 && open.effects.length === 0
      if (isQuiet && tasks.length > 0 && tasks.every(({ status }) => status.stageClass === 'terminal')) return undefined
      const parked = tasks.find(({ status }) => status.stageClass === 'parked')
      stuckSince = parked !== undefined && isQuiet && isNobodyDue() ? (stuckSince ?? Date.now()) : undefined
      if (parked !== undefined && stuckSince !== undefined && Date.now() - stuckSince > stuckMs) {
        const { stage, stageReason } = parked.status
        return `the Task is parked at ${stage} (${stageReason ?? 'no reason'}) and nobody is due to move it`
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
