import { branchOf } from '../../git/refs.ts'
import { rulesetsOf } from '../../store/gates.ts'
import { isInstallationAt, may } from '../../store/permissions.ts'
import { fullName, type Protection, type Repository, type Ruleset } from '../../store/records.ts'
import { Refusal } from '../../store/refusal.ts'
import type { Call, Route } from '../call.ts'
import { HttpRefusal } from '../../rest.ts'
import { NOT_OF_INTEGRATION } from '../errors.ts'
import { listAnswer } from '../paging.ts'
import { commitPayload, type Json } from '../payloads/common.ts'

const REPO = '/repos/:owner/:repo'

/** Branch names hold slashes, so they are the rest of the path; what follows the name is told apart by its end. */
export const branchRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: `${REPO}/branches`,
    async run(call) {
      const refs = await call.repository.git.listRefs('refs/heads/')
      return listAnswer(call, refs, ({ ref, sha }) => ({
        name: branchOf(ref),
        commit: { sha, url: `${call.links.repository(call.repository)}/commits/${sha}` },
        protected: isProtected(call.repository, branchOf(ref) ?? ''),
      }))
    },
  },
  {
    method: 'GET',
    path: `${REPO}/branches/*`,
    async run(call) {
      const [, name = '', part] =
        /^(.+?)(\/protection(?:\/required_status_checks|\/required_pull_request_reviews)?)?$/.exec(
          call.params['*'] ?? '',
        ) ?? []
      const sha = await call.repository.git.branchTip(name)
      if (!sha) throw new HttpRefusal(404, 'Branch not found')
      return { body: part ? protectionPart(call, name, part) : await branchPayload(call, name, sha) }
    },
  },
  {
    method: 'GET',
    path: `${REPO}/rules/branches/*`,
    run: (call) =>
      listAnswer(call, rulesetsOf(call.repository, call.params['*'] ?? ''), (rules) => rulePayload(call, rules)),
  },
]

function isProtected(repository: Repository, name: string): boolean {
  return repository.protection.has(name) || rulesetsOf(repository, name).length > 0
}

function rulePayload({ repository }: Call, { id, requiredChecks }: Ruleset): Json {
  return {
    type: 'required_status_checks',
    ruleset_source_type: 'Repository',
    ruleset_source: fullName(repository),
    ruleset_id: id,
    parameters: {
      strict_required_status_checks_policy: false,
      required_status_checks: requiredChecks.map((context) => ({ context })),
    },
  }
}

async function branchPayload(call: Call, name: string, sha: string): Promise<Json> {
  const { repository, links } = call
  const rules = repository.protection.get(name)
  const checks = rules?.requiredChecks ?? []
  return {
    name,
    commit: commitPayload(links, repository, await repository.git.readCommit(sha)),
    _links: {
      self: `${links.repository(repository)}/branches/${name}`,
      html: `${links.webRepository(repository)}/tree/${name}`,
    },
    protected: isProtected(repository, name),
    protection_url: `${links.repository(repository)}/branches/${name}/protection`,
    protection: {
      enabled: rules !== undefined,
      required_status_checks: {
        enforcement_level: checks.length === 0 ? 'off' : rules?.enforceAdmins ? 'everyone' : 'non_admins',
        contexts: checks,
        checks: checks.map((context) => ({ context, app_id: null })),
      },
    },
  }
}

/** Protection is the admins' alone to read; everybody else is told that nothing is there. */
function protectionPart(call: Call, name: string, part: string): Json {
  if (isInstallationAt(call.repository, call.actor)) throw new HttpRefusal(403, NOT_OF_INTEGRATION)
  if (!may(call.repository, call.actor, 'admin')) throw new Refusal('not-found')
  const rules = call.repository.protection.get(name)
  if (!rules) throw new HttpRefusal(404, 'Branch not protected')
  const whole = protectionPayload(call, name, rules)
  const found = part === '/protection' ? whole : whole[part.slice('/protection/'.length)]
  if (!found) throw new HttpRefusal(404, part.endsWith('checks') ? 'Required status checks not enabled' : 'Not Found')
  return found as Json
}

function protectionPayload(call: Call, name: string, rules: Protection): Json {
  const url = `${call.links.repository(call.repository)}/branches/${name}/protection`
  return {
    url,
    enforce_admins: { url: `${url}/enforce_admins`, enabled: rules.enforceAdmins },
    ...(rules.requiredChecks.length > 0
      ? {
          required_status_checks: {
            url: `${url}/required_status_checks`,
            strict: rules.strict,
            contexts: rules.requiredChecks,
            contexts_url: `${url}/required_status_checks/contexts`,
            checks: rules.requiredChecks.map((context) => ({ context, app_id: null })),
          },
        }
      : {}),
    ...(rules.requiredApprovals > 0
      ? {
          required_pull_request_reviews: {
            url: `${url}/required_pull_request_reviews`,
            dismiss_stale_reviews: false,
            require_code_owner_reviews: false,
            required_approving_review_count: rules.requiredApprovals,
          },
        }
      : {}),
    allow_force_pushes: { enabled: false },
    allow_deletions: { enabled: false },
  }
}
