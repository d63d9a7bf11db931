import { rbacManifests } from '../../../edges/kubernetes/doctor/rbac.ts'
import { flag, readArgs, text, UsageError } from '../../args.ts'
import { print } from '../../output/terminal.ts'
import { yamlLines } from '../../output/yaml-lines.ts'
import { subdomain } from '../../resource-view.ts'

const usage = `usage: statewright rbac [options]

Prints the least rights that an orchestrator needs in a Kubernetes cluster: a ServiceAccount, roles and bindings. It asks no
cluster. The namespaces must be there before kubectl applies what it prints.

  --namespaces A,B        what the orchestrator watches, as WATCH_NAMESPACES has it: a Role in each
                          (default: all, by one ClusterRole, which reads every Secret of the cluster)
  --lease-namespace NS    where the orchestrator runs, as LEASE_NAMESPACE has it (default: default)
  --service-account NAME  the orchestrator's, in the namespace of the Lease (default: statewright)
  --local-pods            without the right to make pods, claims and Secrets, for LOCAL_PODS=on
  --memory-stacks         with the right to make Deployments, StatefulSets, Services and databases, for MEMORY_STACKS
  --json                  print one line of JSON, a List

Example: statewright rbac --namespaces team-a,team-b --lease-namespace platform | kubectl apply -f -`

const options = {
  namespaces: { type: 'string' },
  'lease-namespace': { type: 'string' },
  'service-account': { type: 'string' },
  'local-pods': { type: 'boolean' },
  'memory-stacks': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

/** RFC 1123: namespaces have labels for names, ServiceAccounts subdomains. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

export async function rbac(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  if (parsed.positionals.length > 0) throw new UsageError(usage)
  const given = text(parsed, 'namespaces')
  const manifests = rbacManifests({
    namespaces: given === undefined ? [] : given.split(',').map((name) => checked('namespaces', name.trim(), label)),
    leaseNamespace: checked('lease-namespace', text(parsed, 'lease-namespace') ?? 'default', label),
    serviceAccount: checked('service-account', text(parsed, 'service-account') ?? 'statewright', subdomain),
    localPods: flag(parsed, 'local-pods'),
    memoryStacks: flag(parsed, 'memory-stacks'),
  })
  const list = { apiVersion: 'v1', kind: 'List', items: manifests }
  print(flag(parsed, 'json') ? JSON.stringify(list) : yamlLines(manifests))
  return 0
}

/** An empty name would give all namespaces where none was meant. */
function checked(option: string, name: string, form: RegExp): string {
  if (!form.test(name)) throw new UsageError(`--${option}: "${name}" is no name that Kubernetes takes`)
  return name
}
