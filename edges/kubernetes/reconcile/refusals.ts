/** What is refused, and why: a condition that lists every fault, and an Event. */
import type { ManifestFault } from '../../../crd/manifest-fault.ts'
import type { Finding } from '../../../crd/status/condition.ts'
import { Problem } from '../../../http/problems/problem.ts'
import type { KubeObject } from '../api/api.ts'
import { putCondition, type Voice } from './in-conditions.ts'
import type { ReconcileContext } from './reconcile-deps.ts'

/** `Admitted` of a Task, `Accepted` of the other kinds. */
export function refused(kind: string, reason: string, message: string): Finding {
  return { type: kind === 'Task' ? 'Admitted' : 'Accepted', status: 'False', reason, message }
}

export function invalid(kind: string, faults: readonly ManifestFault[]): Finding {
  return refused(kind, 'InvalidSpec', listed(faults))
}

/** The code of the problem as a reason; a name that the platform gave away is `NameUsed`. */
export function problemFinding(problem: Problem): Finding {
  const { code, members, message } = problem
  const faults = members['errors'] as readonly ManifestFault[] | undefined
  return refused('Task', code === 'conflict' ? 'NameUsed' : word(code), faults ? listed(faults) : message)
}

/** Of a system that is away, say, the retry is the queue's. */
export function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && error.status < 500
}

export function contended(claimant: string, orchestrator: string): Finding {
  const message =
    `the orchestrator ${claimant} works for this Project, so ${orchestrator} leaves it alone. ` +
    'End one of the two. Where the first one is gone, statewright release takes its claim off'
  return { type: 'Contended', status: 'True', reason: 'OtherOrchestrator', message }
}

/** Writes the condition, records what is new, and answers the object as it is then. */
export async function report(
  deps: ReconcileContext,
  object: KubeObject,
  voice: Voice,
  finding: Finding | undefined,
): Promise<KubeObject> {
  const written = await putCondition(deps, object, voice, finding)
  if (written === object) return object
  deps.written(object, written)
  if (finding !== undefined) {
    const { reason, message } = finding
    await deps.events.record(written, { type: 'Warning', reason, message })
    const { namespace, name } = object.metadata
    deps.logger.warn({ kind: object.kind, namespace, name, reason, detail: message }, 'a resource is refused')
  }
  return written
}

function listed(faults: readonly ManifestFault[]): string {
  return faults.map(({ path, message }) => `${path || 'the resource'}: ${message}`).join('; ')
}

/** `not-found` as a reason: `NotFound`. */
function word(code: string): string {
  return code.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
