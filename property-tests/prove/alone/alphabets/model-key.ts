import type { ModelKeyContext } from '../../../../machines/model-key/context.ts'
import type { TimelessEvent } from '../walk.ts'

const [one, other] = ['default/one', 'default/other']
const hour = 3_600_000

export const modelKeyBirths: readonly TimelessEvent[] = [
  { type: 'key.joined', project: one },
  { type: 'key.joined', project: other },
]

export function modelKeyWords(context: object): readonly TimelessEvent[] {
  const { at } = context as ModelKeyContext
  return [
    ...['default/a', 'default/b'].flatMap((task): readonly TimelessEvent[] => [
      { type: 'key.withheld', task, cause: 'key_refused', message: 'words' },
      { type: 'key.withheld', task, cause: 'usage_limit', message: '', resetsAt: at + 5 * hour },
      { type: 'key.withheld', task, cause: 'usage_limit', message: '', resetsAt: at },
      { type: 'key.withheld', task, cause: 'no_credit', message: 'words', resetsAt: at + 700 * hour },
      { type: 'key.withheld', task, cause: 'no_credit', message: 'words', resetsAt: at + 60_000 },
      { type: 'key.served', task },
      ...[one, other].flatMap((project): readonly TimelessEvent[] => [
        { type: 'key.probing', project, task },
        { type: 'key.probeEnded', project, task },
      ]),
    ]),
    ...[one, other].flatMap((project): readonly TimelessEvent[] => [
      { type: 'key.joined', project },
      { type: 'key.left', project },
      { type: 'key.idle', project },
      { type: 'key.wanted', project },
    ]),
  ]
}
