/** A smaller plan that breaks the same rule: fewer faults, fewer things sent, fewer processes. */
import type { Plan } from './plan.ts'

/** Each try is a whole schedule. */
const mostTries = 60

export async function shrink(plan: Plan, stillBreaks: (smaller: Plan) => Promise<boolean>): Promise<Plan> {
  let smallest = plan
  let tries = 0
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false
    for (const candidate of candidates(smallest)) {
      if (++tries > mostTries) return smallest
      if (!(await stillBreaks(candidate))) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return smallest
}

function candidates(plan: Plan): readonly Plan[] {
  const withoutFaults = plan.faults.map((_, index) => ({ ...plan, faults: plan.faults.toSpliced(index, 1) }))
  const withoutClients = plan.clients.map((_, index) => ({ ...plan, clients: plan.clients.toSpliced(index, 1) }))
  const withoutSteps = plan.clients.flatMap((client, index) =>
    client.steps.slice(1).map((_, step) => {
      const steps = client.steps.toSpliced(step + 1, 1)
      return { ...plan, clients: plan.clients.with(index, { ...client, steps }) }
    }),
  )
  return [...withoutClients.filter(({ clients }) => clients.length > 0), ...withoutFaults, ...withoutSteps]
}
