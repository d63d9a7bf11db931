import fc from 'fast-check'

/** Operations of git that an agent may be in the middle of. */
export const operations = ['merge', 'rebase', 'cherry-pick', 'revert', 'bisect'] as const

/** What a loss of power leaves of a repository: files torn, never a file that nobody wrote. */
export const breakages = ['head', 'branch', 'index', 'locks', 'clone'] as const

export type Act =
  | { readonly kind: 'write'; readonly file: number; readonly isCommitted: boolean }
  | { readonly kind: 'leave'; readonly isDetached: boolean }
  | { readonly kind: 'begin'; readonly operation: (typeof operations)[number] }
  | { readonly kind: 'other'; readonly on: 'task' | 'base'; readonly file: number }
  | { readonly kind: 'tear'; readonly what: (typeof breakages)[number] }
  | { readonly kind: 'outage'; readonly isDown: boolean }
  | { readonly kind: 'turnEnd' | 'safetyPush' | 'boot'; readonly killedAt?: number | undefined }

/** A kill before the n-th git command of the wrapper; beyond the last one nothing is killed. */
const killedAt = fc.option(fc.integer({ min: 0, max: 70 }), { nil: undefined, freq: 2 })
const file = fc.integer({ min: 0, max: 2 })

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('write' as const), file, isCommitted: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), isDetached: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('begin' as const), operation: fc.constantFrom(...operations) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('other' as const),
      on: fc.constantFrom('task' as const, 'base' as const),
      file,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('tear' as const), what: fc.constantFrom(...breakages) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('outage' as const), isDown: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('turnEnd' as const, 'safetyPush' as const, 'boot' as const),
      killedAt,
    }),
  },
)

export const history: fc.Arbitrary<readonly Act[]> = fc.array(act, { minLength: 3, maxLength: 9 })
