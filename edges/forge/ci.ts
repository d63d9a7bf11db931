import type { CiState } from '../../machines/merge-request/events.ts'
import type { RequiredChecks } from './port.ts'

/** Worst first: what several pipelines come to together. `none` is the absence of all, never one of them. */
const worstFirst: readonly CiState[] = ['failure', 'cancelled', 'running', 'pending', 'success']

export function worstOf(states: readonly CiState[]): CiState {
  return worstFirst.find((state) => states.includes(state)) ?? 'none'
}

export const unfinished: readonly CiState[] = ['pending', 'running']

export function isUnfinished(states: readonly CiState[]): boolean {
  return states.some((state) => unfinished.includes(state))
}

/** undefined: nobody could read it. */
export function isRequired({ names, all, unread }: RequiredChecks, name: string): boolean | undefined {
  if (all === true || names.includes(name)) return true
  return unread === undefined ? false : undefined
}
