import { createKubeClient } from '../../../edges/kubernetes/api/client.ts'
import {
  findLiveOrchestrator,
  release as releaseAll,
  type Released,
} from '../../../edges/kubernetes/reconcile/release.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { flag, readArgs, text, UsageError } from '../../args.ts'
import { print } from '../../output/terminal.ts'

const usage = `usage: statewright release [options]

Takes the finalizers and the claims of Statewright off its resources in a Kubernetes cluster. Use it where no orchestrator
will run any more: without one, kubectl delete waits for ever. An orchestrator that starts later takes resources up again.

It deletes nothing by itself. What somebody deleted before goes at once, without a hand-off: an agent's unfinished work is lost.
It refuses while an orchestrator lives. To learn that, it watches the Lease for up to 15 seconds.

  --kubeconfig FILE       how to reach the cluster (default, in a pod: its service account)
  --namespace A,B         resources of these namespaces alone (default: all)
  --lease-namespace NAME  look for an orchestrator's Lease in this namespace alone (default: all)
  --force                 do not look whether an orchestrator lives
  --json                  print one line of JSON

Example: statewright release --kubeconfig ~/.kube/config --namespace team`

const options = {
  kubeconfig: { type: 'string' },
  namespace: { type: 'string' },
  'lease-namespace': { type: 'string' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export async function release(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const kubeconfig = text(parsed, 'kubeconfig')
  if (parsed.positionals.length > 0) throw new UsageError(usage)
  if (kubeconfig === undefined && !process.env['KUBERNETES_SERVICE_HOST'])
    throw new UsageError(`--kubeconfig is needed outside of a pod\n\n${usage}`)
  const client = createKubeClient({ kubeconfig })
  const deps = { client, clock: systemClock }
  try {
    const holder = flag(parsed, 'force') ? undefined : await findLiveOrchestrator(deps, text(parsed, 'lease-namespace'))
    if (holder !== undefined)
      throw new Error(`the orchestrator ${holder} lives and would take them up again: end it first, or use --force`)
    const released = await releaseAll(deps, text(parsed, 'namespace')?.split(','))
    print(flag(parsed, 'json') ? JSON.stringify({ released }) : listing(released))
    return 0
  } finally {
    await client.close()
  }
}

function listing(released: readonly Released[]): readonly string[] {
  const lines = released.map(({ kind, namespace, name, wasDeleted, isGone }) => {
    const end = isGone ? 'released, and gone' : wasDeleted ? 'released; others still hold it' : 'released'
    return `${kind.toLowerCase()}/${name} in ${namespace}: ${end}`
  })
  return [...lines, released.length === 0 ? 'nothing was held' : `${released.length} released`]
}
