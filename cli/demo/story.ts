/** The story as it happens, told from the orchestrator's committed steps: one line for each thing that a reader cares about. */
import { bareName } from '../../crd/resource-id.ts'
import type { Durability } from '../../runtime/store/sql.ts'

interface Step {
  readonly actor: string
  readonly event: string
  readonly path: string
  readonly effects: readonly string[]
  readonly facts: Readonly<Record<string, string | number>>
}

interface Teller {
  /** A log line of the orchestrator. */
  line(line: Record<string, unknown>): void
  /** The Project of this id is checked: its line comes now, and for this check no more. */
  ready(id: string): void
  print(text: string): void
}

/** What an acknowledged event outlives (R1), by what the orchestrator says of its store. */
const guarantees: Readonly<Record<Durability, string>> = {
  'power-loss': 'what is acknowledged outlives the loss of power',
  'process-death': 'what is acknowledged outlives the end of a process, not the loss of power',
  none: 'nothing outlives the process',
}

/** The first line of a start, from its `ready` line. */
export function openingOf(ready: Readonly<Record<string, unknown>>): string {
  const { url, isolation, durability } = ready
  return `the orchestrator is up: ${String(url)}, pods isolated by ${String(isolation)}; ${guarantees[durability as Durability]}`
}

type StepText = (step: Step) => string | undefined

const outcome: StepText = ({ facts }) => `the agent submits its outcome: ${facts['action']}`

/** By `<actor kind> <event>`; what is not listed is no part of the story. */
const phrases: Readonly<Record<string, StepText>> = {
  'queue queue.enqueue': ({ facts }) => `queued: a slot for ${facts['kind'] ?? 'a pod'}`,
  'task task.minted': ({ path }) => `the Task is created (${stageOf(path)})`,
  'task pod.working': ({ facts }) => `pod ${facts['pod']} works: contract version checked`,
  'task outcome': outcome,
  'task note.written': ({ facts }) => `the agent writes a note: ${facts['kind']}`,
  'task agent.asked': () => 'the agent asked on the forge and waits for the answer',
  'task human.commented': ({ facts }) => `${facts['author']} commented; the platform notifies the agent`,
  'task approval.granted': () => 'the Issue verified the citation and granted the approval',
  'task approval.refused': ({ facts }) => `the Issue refused the approval: ${facts['reason']}`,
  'task approval.revoked': ({ facts }) => `the approval is revoked: ${facts['reason']}`,
  'task mr.ready': ({ facts }) => `merge request ${facts['number']} is open`,
  'task mr.openFailed': ({ facts }) => `the merge request could not be opened: ${facts['reason']}`,
  'task mr.ciPending': () => 'the checks are not green yet; the platform retries the merge',
  'task mr.ciRed': () => 'the checks are red',
  'task mr.conflict': () => 'the merge request conflicts',
  'task mr.mergeRefused': ({ facts }) => `the forge refuses the merge: ${facts['reason']}`,
  'task mr.merged': ({ facts }) => `merged at ${String(facts['sha']).slice(0, 10)}`,
  'task pod.final': ({ facts }) => `pod ${facts['pod']} ended (${facts['cause']})`,
  'turn turn.start': () => 'turn asked for',
  'turn submit.accepted': () => 'the agent accepted the turn',
  'turn turn.result': ({ facts }) => `the turn ended: ${facts['stopReason']}`,
  'issue plan.written': () => 'the plan is published on the issue',
}

export function createTeller(write: (text: string) => void, startedAt: number, now: () => number): Teller {
  const stages = new Map<string, string>()
  const readyProjects = new Set<string>()
  const print = (text: string): void => write(`${((now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${text}`)
  const ready = (id: string): void => {
    if (!readyProjects.has(id)) print(`project ${bareName(id)}: the Project is checked and ready`)
    readyProjects.add(id)
  }
  return {
    print: print,
    ready,
    line: (line) => {
      if (line['msg'] !== 'step') return
      const step = line as unknown as Step
      const [, kind = '', id = ''] = /^([^:]*):(.*)$/.exec(step.actor) ?? []
      const name = `${kind} ${bareName(id)}`
      const phrase = phrases[`${kind} ${step.event}`]?.(step)
      if (phrase !== undefined) print(`${name}: ${phrase}`)
      if (kind === 'project' && step.event === 'project.checked')
        if (step.path.includes('ready')) ready(id)
        else readyProjects.delete(id)
      if (kind !== 'task') return
      const [before, stage] = [stages.get(id), stageOf(step.path)]
      stages.set(id, stage)
      if (before !== undefined && before !== stage) print(`${name}: ${before} -> ${stage}`)
    },
  }
}

/** The stage out of a state path: the leaf's parent where the leaf is an inner step of a work stage. */
export function stageOf(path: string): string {
  const inner = ['fresh', 'clocked', 'withheld', 'opening', 'settling', 'asked', 'outstanding', 'backingOff', 'folding']
  const stage = path.split(/[\s,|]+/).find((part) => part.startsWith('stage')) ?? path
  return stage.split('.').findLast((part) => !inner.includes(part)) ?? path
}
