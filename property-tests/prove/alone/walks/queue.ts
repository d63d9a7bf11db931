/** Ways of a queue to where a key of the model holds it back: each needs several words in their order. */
import type { Walk } from '../walk.ts'
import { configured, enqueue } from '../alphabets/queue.ts'
import { told, walk, type Word } from './words.ts'

const ready = 'readiness.ready and pause.running and budget.open'
const said =
  (one: ReturnType<typeof enqueue>): Word =>
  () =>
    one
const key = { key: 'print' }
const withheld = told('queue.withheld', { ...key, cause: 'no_credit', message: 'words', since: 5, until: 9 })
const again = told('queue.withheld', { ...key, cause: 'no_credit', message: 'words', since: 5, until: 9, again: true })
const roomy = [said(configured(2, 2, 1)), told('queue.opened'), told('queue.keyed', key)]
const [a, b] = [said(enqueue('a')), said(enqueue('b'))]
const probe = told('queue.probe', key)

const paused = told('queue.paused', { by: 'ada', reason: 'a look' })
const stands = 'readiness.ready and pause.paused and budget.open'

export const queueWalks: readonly Walk[] = [
  walk(stands, roomy, paused, a),
  walk(stands, roomy, withheld, a, paused, probe),
  walk(ready, roomy, a, withheld),
  walk(ready, roomy, withheld, a),
  walk(ready, roomy, withheld, a, b),
  walk(ready, roomy, withheld, a, probe),
  walk(ready, roomy, withheld, a, probe, b),
  walk(ready, roomy, withheld, a, probe, withheld),
  walk(ready, roomy, withheld, a, probe, again),
  walk(ready, roomy, withheld, a, probe, told('queue.keyed', { key: 'other' })),
  walk(ready, said(configured(1, 1, 1)), told('queue.opened'), told('queue.keyed', key), a, withheld, b),
]
