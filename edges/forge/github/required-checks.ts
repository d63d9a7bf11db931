/**
 * What GitHub requires of a head, by two answers that a token without administration may read: the branch's own has the checks of
 * its protection, and the rules of the branch have those of every ruleset. Where one of them is not to be read, that is said.
 */
import { ForbiddenError, NotFoundError } from '../errors.ts'
import type { RequiredChecks } from '../port.ts'
import { repositoryParamsOf, type GithubClient } from './client.ts'
import * as schema from './schema.ts'

export async function requiredChecks(client: GithubClient, path: string, branch: string): Promise<RequiredChecks> {
  const parts = [await ofProtection(client, path, branch), await ofRulesets(client, path, branch)]
  const unread = parts.flatMap((part) => part.unread ?? []).join(', and ')
  const names = [...new Set(parts.flatMap((part) => part.names))]
  return unread === '' ? { names } : { names, unread }
}

async function ofProtection(client: GithubClient, path: string, branch: string): Promise<RequiredChecks> {
  const what = `the protection of ${branch}`
  try {
    const found = await client.read('read branch', schema.Branch, (rest) =>
      rest.rest.repos.getBranch({ ...repositoryParamsOf(path), branch }),
    )
    return namesOfBranch(found) ?? { names: [], unread: what }
  } catch (error) {
    return unread(what, error)
  }
}

/** undefined: it is protected, and the answer leaves out by which checks. */
function namesOfBranch({ protected: isProtected, protection }: schema.Branch): RequiredChecks | undefined {
  const checks = protection?.required_status_checks
  if (checks) return { names: [...(checks.contexts ?? []), ...(checks.checks ?? []).map(({ context }) => context)] }
  // A branch that only a ruleset protects says so too, and has no protection of its own.
  return isProtected === false || protection?.enabled === false ? { names: [] } : undefined
}

/** Rules that require what some check comes to, and do not name the check. */
const namelessRules = ['workflows', 'code_scanning']

async function ofRulesets(client: GithubClient, path: string, branch: string): Promise<RequiredChecks> {
  try {
    const rules = await client.list('list rules of branch', schema.BranchRule, (rest) =>
      rest.paginate(rest.rest.repos.getBranchRules, { ...repositoryParamsOf(path), branch, per_page: 100 }),
    )
    const names = rules.flatMap(({ parameters }) =>
      (parameters?.required_status_checks ?? []).map((one) => one.context),
    )
    const nameless = namelessRules.filter((type) => rules.some((rule) => rule.type === type))
    return nameless.length === 0
      ? { names }
      : { names, unread: `which checks the rule ${nameless.join(' and ')} of ${branch} requires` }
  } catch (error) {
    return unread(`the rulesets of ${branch}`, error)
  }
}

/** Unknown is not nothing: the answer 404 hides what the token may not see. The forge's word says what the token lacks. */
function unread(what: string, error: unknown): RequiredChecks {
  if (error instanceof NotFoundError && error.message.endsWith(': Branch not found')) return { names: [] }
  if (error instanceof ForbiddenError || error instanceof NotFoundError)
    return { names: [], unread: `${what} (${error.message})` }
  throw error
}
