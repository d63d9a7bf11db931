import type { Clock } from '../../../runtime/clock.ts'
import { TerminalError } from '../../../runtime/errors.ts'
import type { Fetch } from '../../../http/ports.ts'
import type { LimitType } from '../errors.ts'
import { adapters } from './adapters.ts'
import type { ForgeAdapter, ForgeWire } from './adapter.ts'
import { createTransport, type Transport } from './transport.ts'
import type { OpenForge } from '../port.ts'
import { projectId, type ProjectDirectory, type Provider } from '../projects.ts'
import { createBudget } from './rate-limit.ts'
import { bodyHash } from '../hash.ts'
import type { Queryable } from '../../../runtime/store/sql.ts'

export interface OpenForgeOptions {
  readonly directory: ProjectDirectory
  readonly fetch: Fetch
  readonly clock: Clock
  /** Of the budgets that all processes share. */
  readonly sql: Queryable
  /** For `operator_scm_ratelimited_total{provider,path,limit_type}` (FORGE-BUDGET-5). */
  readonly onLimited?: (provider: Provider, path: string, limitType: LimitType) => void
}

/** Ports by Project: the settings and the token of this moment, over a budget that all who use the token share. */
export function createOpenForge({ directory, fetch, clock, sql, onLimited }: OpenForgeOptions): OpenForge {
  /** By Project, with the token that it had last. */
  const transports = new Map<string, { readonly account: string; readonly transport: Transport }>()

  function transportOf(id: string, provider: Provider, { wire }: ForgeAdapter, account: string): Transport {
    const known = transports.get(id)
    if (known?.account === account) return known.transport
    const budget = createBudget({
      sql,
      clock,
      account,
      ...wire.rate,
      onLimited: (path, type) => onLimited?.(provider, pathTemplate(wire, path), type),
    })
    const transport = createTransport({ fetch, clock, budget, wire })
    transports.set(id, { account, transport })
    return transport
  }

  return async (asked, fence) => {
    const project = await directory.project(asked)
    if (project === undefined) throw new TerminalError('unknown-project', `there is no Project ${asked}`)
    const id = projectId(project)
    const adapter = adapters[project.scm.provider]
    const token = (await directory.secret(id))?.token
    if (token === undefined || token === '')
      throw new TerminalError('SecretMissingKeys', `the Secret of ${id} has no token`)
    const { provider, apiURL = '', includeConfidential = false } = project.scm
    const account = bodyHash(`${provider}\n${apiURL}\n${token}`)
    return adapter.open({
      token,
      fetch: transportOf(id, provider, adapter, account)(fence),
      includeConfidential,
      ...(apiURL === '' ? {} : { apiURL }),
    })
  }
}

/** A label value may not grow with every repository, issue number and sha. */
function pathTemplate({ repositories }: ForgeWire, operation: string): string {
  return operation
    .replace(/^[A-Z]+ /, '')
    .replace(repositories.named, `$<base>${repositories.template}$<tail>`)
    .replaceAll(/\/(\d+|[0-9a-f]{40})(?=\/|$)/g, '/{id}')
}
