/** Random lives of a runtime: what is sent to whom, and at which statement of the store the process dies. */
import fc from 'fast-check'

export interface Send {
  readonly actor: 'a' | 'b'
  readonly type: 'noted' | 'asked' | 'told' | 'armed' | 'merged' | 'parked' | 'unheard' | 'poisonGuard'
  /** Sent again under its key after it was acknowledged. */
  readonly isRepeated: boolean
  /** Not waited for before the next is sent. */
  readonly isHasty: boolean
}

export interface Crash {
  /** Before this many statements of the life have run. */
  readonly atStatement: number
  /** Whether that statement reaches the store before the process dies. */
  readonly isRun: boolean
}

export interface Plan {
  readonly sends: readonly Send[]
  readonly crashes: readonly Crash[]
}

const send: fc.Arbitrary<Send> = fc.record({
  actor: fc.constantFrom('a', 'b'),
  type: fc.oneof(
    { weight: 4, arbitrary: fc.constant('noted' as const) },
    { weight: 3, arbitrary: fc.constantFrom('asked' as const, 'told' as const) },
    { weight: 2, arbitrary: fc.constantFrom('armed' as const, 'merged' as const, 'parked' as const) },
    { weight: 1, arbitrary: fc.constantFrom('unheard' as const, 'poisonGuard' as const) },
  ),
  isRepeated: fc.boolean(),
  isHasty: fc.boolean(),
})

const crash: fc.Arbitrary<Crash> = fc.record({ atStatement: fc.integer({ min: 6, max: 40 }), isRun: fc.boolean() })

export const plan: fc.Arbitrary<Plan> = fc.record({
  sends: fc.array(send, { minLength: 1, maxLength: 14 }),
  crashes: fc.array(crash, { maxLength: 4 }),
})
