import { findPull } from '../../store/pulls.ts'
import type { Pull } from '../../store/records.ts'
import { numberParam, type Call } from '../call.ts'

export function pullOf(call: Call): Pull {
  return findPull(call.repository, numberParam(call, 'iid'))
}
