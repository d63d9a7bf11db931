/** The memory stack in the status of a Project: its phase and its condition (PROJECT-STATUS-4, PROJECT-STATUS-17). */
import type { MemoryStackContext } from '../../machines/memory-stack/context.ts'
import type { Finding } from './condition.ts'
import { stateOf, type ActorShape } from './shape.ts'

export type StackActor = Pick<ActorShape<MemoryStackContext>, 'path' | 'context'>

const phases: Readonly<Record<string, 'Pending' | 'Running' | 'Degraded'>> = {
  pending: 'Pending',
  running: 'Running',
  degraded: 'Degraded',
}

/** Undefined: none is wanted, or it ends. */
export function stackPhase(actor: StackActor): 'Pending' | 'Running' | 'Degraded' | undefined {
  return phases[stateOf(actor)]
}

/** Undefined: there is none, and nothing stays of one. */
export function stackFinding(actor: StackActor): Finding | undefined {
  const { part, words, isLate, trouble } = actor.context
  const state = stateOf(actor)
  const condition = (status: 'True' | 'False', reason: string, message: string): Finding => ({
    type: 'MemoryStack',
    status,
    reason,
    message: [message, trouble && `The last look saw nothing: ${trouble}`].filter(Boolean).join(' '),
  })
  const seen = `${part}${words === '' ? '' : `: ${words}`}`
  if (state === 'running') return condition('True', 'Running', words || 'It serves, as it is wanted.')
  if (state === 'absent') return words === '' ? undefined : condition('False', 'Ended', `These stay: ${words}`)
  if (state === 'ending') return condition('False', 'Ending', `It ends, and what holds data stays. ${seen}`)
  const late = isLate ? 'For longer than it should take, it waits for ' : 'It waits for '
  if (state === 'pending') return condition('False', isLate ? 'Late' : 'Pending', `${late}${seen}`)
  return condition('False', isLate ? 'Late' : 'Degraded', `One part is not as it is wanted. ${seen}`)
}
