/** What memory stacks promise in a whole run (PROJECT-MEMORY-1, -3). */
import { isOfKind } from '../../../runtime/of-kind.ts'
import type { Outcome } from '../live.ts'
import { beside } from '../project.ts'

type Law = (outcome: Outcome) => readonly string[]

export const stackLaws: readonly Law[] = [
  endsAsWanted,
  runsOneOfEach,
  keepsWhatHoldsData,
  neverPendingAgain,
  fillsOnceItServes,
]

/** Names of Projects whose stack is wanted at the end. */
function wantedAtTheEnd({ plan: { stack } }: Outcome): readonly string[] {
  if (stack === undefined) return []
  const isBack = stack.ends === undefined || stack.ends.backMs !== undefined
  return [...(stack.isOfDemo ? ['demo'] : []), ...(isBack ? [beside] : [])]
}

/** It serves where it is wanted, and nothing of it runs where it is not. */
function endsAsWanted(outcome: Outcome): readonly string[] {
  const wanted = wantedAtTheEnd(outcome)
  const { plan, views, objects } = outcome
  if (plan.stack === undefined) return []
  return ['demo', beside].flatMap((name) => {
    const path = views.find((view) => isOfKind(view, 'memory-stack') && view.id === `default/${name}`)?.path ?? 'absent'
    const isWanted = wanted.includes(name)
    const should = isWanted ? 'running' : 'absent'
    const serves = objects.includes(`Deployment memory-${name}`)
    const left = objects.filter(
      (one) => /^(?:Deployment|StatefulSet|Service|Pod) /.test(one) && one.includes(`-${name}`),
    )
    return [
      ...(path === should ? [] : [`stack: that of ${name} is ${path} at the end, and should be ${should}`]),
      ...(isWanted && !serves ? [`stack: that of ${name} has no service`] : []),
      ...(isWanted ? [] : left.map((one) => `stack: ${one} is left behind`)),
    ]
  })
}

/** Data lies in one place. */
function runsOneOfEach({ objects }: Outcome): readonly string[] {
  return ['demo', beside].flatMap((name) =>
    [`Cluster mem-${name}`, `PersistentVolumeClaim mempg-${name}-data`].every((one) => objects.includes(one))
      ? [`stack: that of ${name} has two places for its data`]
      : [],
  )
}

/** Passwords and claims are made once, whoever died on the way. */
function keepsWhatHoldsData({ rewritten }: Outcome): readonly string[] {
  return rewritten.map((title) => `stack: ${title} was made anew or deleted`)
}

function neverPendingAgain({ rows }: Outcome): readonly string[] {
  const last = new Map<string, string>()
  return rows.flatMap(({ address, seq, path, event }) => {
    if (!address.startsWith('memory-stack:')) return []
    const before = last.get(address)
    last.set(address, path)
    const hasRun = before === 'running' || before === 'degraded'
    return hasRun && path === 'pending' ? [`stack: ${address} ${seq} is pending again at ${event.type}`] : []
  })
}

/** A memory is filled at the address of its stack, which is known once it serves. */
function fillsOnceItServes({ plan, rows, fillings }: Outcome): readonly string[] {
  if (plan.stack?.isOfDemo !== true) return []
  const serves = rows.find(
    ({ address, path }) => address === 'memory-stack:default/demo' && /^(?:running|degraded)$/.test(path),
  )
  return fillings
    .filter(({ project, place }) => project === 'default/demo' && !(place >= (serves?.place ?? Infinity)))
    .map(({ life, place }) => `stack: ${life} fills the memory of demo at ${place}, before its stack serves`)
}
