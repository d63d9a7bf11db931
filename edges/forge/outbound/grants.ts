import { grantHolds } from '../../../machines/issue/context.ts'
import { addressOf, parseAddress } from '../../../runtime/address.ts'
import type { Runtime } from '../../../runtime/runtime.ts'

/**
 * The Issue's own word, read from its row (LAW-18): a grant that stands, on an issue that no human has closed.
 * Takes the Issue's id or its address.
 */
export function grantHoldsIn(runtime: Pick<Runtime, 'read'>): (issue: string) => Promise<boolean> {
  return async (issue) => {
    const view = await runtime.read(addressOfIssue(issue))
    if (view === undefined || view.status === 'quarantined') return false
    const { context } = view
    return grantHolds(context) && !(context.facts?.state === 'closed' && context.facts.closedBy === 'human')
  }
}

function addressOfIssue(issue: string): `issue:${string}` {
  const { kind, id } = parseAddress(issue) ?? {}
  return addressOf('issue', kind === 'issue' && id !== undefined ? id : issue)
}
