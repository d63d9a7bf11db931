/** Negative controls: a workspace with a planted bug must break a law, or the laws prove nothing. */
import { expect, test } from 'vitest'
import type { Git } from '../../wrapper/workspace/git.ts'
import { drawnOf } from '../../testing/drawn.ts'
import { brokenLaws } from './laws.ts'
import { mutants, type Mutant } from './mutants.ts'

function mutated({ instead }: Mutant): (git: Git) => Git {
  return (git) => (args, run) => git(instead(args) ?? args, run)
}

test.each(drawnOf(mutants, ({ bug }) => bug))('a workspace that $bug breaks a law', async (mutant) => {
  expect((await brokenLaws(mutant.acts, mutated(mutant))).join()).toMatch(mutant.law)
})
