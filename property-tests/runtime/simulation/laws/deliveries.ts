/** R9: what one actor sends another arrives exactly once, as it was sent, and in the order in which it was sent. */
import type { ActorAddress } from '../../../../machines/definition.ts'
import type { JournalRow } from '../../../../runtime/runtime.ts'
import type { Decided, Facts, Law } from './facts.ts'

export const deliveryLaws: readonly Law[] = [childrenArrive, childrenKeepTheirOrder]

function childrenArrive({ children, rowOf, hasLetter, lettersWereMoved, rows }: Facts): string[] {
  return children.flatMap(({ key, effect }) => {
    const to = effect.params['to'] as ActorAddress
    if (to === ('nowhere' as string))
      return hasLetter(key) || lettersWereMoved ? [] : [`R7: ${key} went nowhere and nothing shows it`]
    const row = rowOf(to, key)
    if (!row) return [`R9: ${key} never reached ${to}`]
    const sent = effect.params['event'] as Readonly<Record<string, unknown>>
    const isSame = Object.entries(sent).every(([field, value]) => row.event[field] === value)
    const times = rows.filter((other) => other.key === key).length
    if (times > 1) return [`R9: ${key} arrived ${times} times`]
    return isSame ? [] : [`R9: ${key} reached ${to} as ${JSON.stringify(row.event)}`]
  })
}

function childrenKeepTheirOrder({ children, rowOf }: Facts): string[] {
  const lanes = new Map<string, { readonly child: Decided; readonly row: JournalRow }[]>()
  for (const child of children) {
    const to = child.effect.params['to'] as ActorAddress
    const row = rowOf(to, child.key)
    const lane = `${child.row.address} ${to}`
    if (row) lanes.set(lane, [...(lanes.get(lane) ?? []), { child, row }])
  }
  return [...lanes.values()].flatMap((lane) =>
    lane.flatMap(({ child, row }, index) => {
      const next = lane[index + 1]
      return next && next.row.seq < row.seq ? [`R2: ${next.child.key} overtook ${child.key}`] : []
    }),
  )
}
