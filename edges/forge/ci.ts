import type { CiState } from '../../machines/merge-request/events.ts'
import type { CiCheck } from './port.ts'

/** Worst first: what a head's checks come to together. `none` is the absence of checks, never one of them. */
const worstFirst: readonly CiState[] = ['failure', 'cancelled', 'running', 'pending', 'success']

export function ciStatusOf(checks: readonly CiCheck[]): CiState {
  return worstFirst.find((state) => checks.some((check) => check.status === state)) ?? 'none'
}
