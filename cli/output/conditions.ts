/** The conditions of a resource, as `why` and `describe` show them. */
import { Type, type Static } from 'typebox'
import { table } from './table.ts'

export const Condition = Type.Object({
  type: Type.String(),
  status: Type.String(),
  reason: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  lastTransitionTime: Type.Optional(Type.String()),
})

export function conditionLines(conditions: readonly Static<typeof Condition>[]): readonly string[] {
  return table(
    ['CONDITION', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'],
    conditions.map(({ type, status, reason = '-', lastTransitionTime = '-', message = '-' }) => [
      ...[type, status, reason, lastTransitionTime, message],
    ]),
  )
}
