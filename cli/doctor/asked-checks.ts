/** Checks that ask a cluster and change nothing in it. */
import { KubeError } from '../../edges/kubernetes/api/answers.ts'
import { pathOf, type KubeClient } from '../../edges/kubernetes/api/api.ts'
import { definitionFaults } from '../../edges/kubernetes/doctor/doctor-definitions.ts'
import { agentPod, type ProbeOptions } from '../../edges/kubernetes/doctor/doctor-objects.ts'
import { missingRights } from '../../edges/kubernetes/doctor/doctor-rights.ts'
import { cloudNativePgWords, growthWords } from '../../edges/kubernetes/doctor/doctor-stacks.ts'
import { podsResource } from '../../edges/kubernetes/pods/pod-requests.ts'
import { check, type Check } from './check.ts'
import { admissionGrant, isolationLack, versionGrant } from './grants.ts'

type Client = Pick<KubeClient, 'ask'>

export interface Account {
  readonly leaseNamespace: string
  readonly serviceAccount: string
}

const shown = 5

export async function definitionsCheck(client: Client): Promise<Check> {
  const id = 'definitions'
  return unlessRefused(id, 'ask somebody who may read CustomResourceDefinitions to run this', async () => {
    const faults = await definitionFaults(client)
    if (faults.length === 0) return check(id, 'ok', 'the six kinds are there, with every field of this program')
    const words = faults.map(({ name, is, fields }) => {
      if (is === 'missing') return `${name} is missing`
      return is === 'refused' ? `${name} is not established` : `${name} is older: it lacks ${few(fields)}`
    })
    return check(id, 'failed', words.join('; '), 'kubectl apply --server-side -f crd/generated')
  })
}

/** `client`: as the ServiceAccount. */
export async function rightsCheck(client: Client, account: Account, namespace: string): Promise<Check> {
  const id = 'rights'
  return unlessRefused(id, impersonation, async () => {
    const { asked, missing } = await missingRights(client, { namespace, ...account })
    const who = nameOf(account)
    if (missing.length === 0) return check(id, 'ok', `${who} has all ${asked} rights`)
    return check(
      id,
      'failed',
      `${who} lacks ${missing.length} of ${asked} rights: ${few(missing)}`,
      rbacStep(account, namespace),
    )
  })
}

/** Stacks are on where the ServiceAccount has a right that nothing else needs. `asAccount`: as the ServiceAccount. */
export async function stacksCheck(
  { client, asAccount }: { readonly client: Client; readonly asAccount: Client },
  account: Account,
  namespace: string,
): Promise<Check> {
  const id = 'memory-stacks'
  return unlessRefused(id, impersonation, async () => {
    const { asked, missing } = await missingRights(asAccount, { namespace, ...account, ofStacks: true })
    const who = nameOf(account)
    if (missing.length === asked) return check(id, 'ok', `off: ${who} has none of their rights`)
    const cluster = `${await cloudNativePgWords(client)}; ${await growthWords(client)}`
    if (missing.length === 0) return check(id, 'ok', `on: ${who} has their rights; ${cluster}`)
    const lack = `${who} lacks ${missing.length} of their ${asked} rights: ${few(missing)}; ${cluster}`
    return check(id, 'failed', lack, rbacStep(account, namespace, ' --memory-stacks'))
  })
}

/** A dry run of the pod that an orchestrator would make, as the ServiceAccount. */
export async function admissionCheck(client: Client, account: Account, options: ProbeOptions): Promise<Check> {
  const id = 'admission'
  return unlessRefused(id, impersonation, async () => {
    const { namespace } = options
    const query = { dryRun: 'All', fieldValidation: 'Strict' }
    try {
      const pod = await client.ask('POST', pathOf(podsResource, { namespace }), { body: agentPod(options), query })
      const lack = isolationLack(pod)
      if (lack !== undefined) return check(id, 'failed', lack, versionGrant)
      return check(id, 'ok', `the API server takes an agent's pod in ${namespace}, by a dry run`)
    } catch (error) {
      if (!(error instanceof KubeError) || isBeyondUs(error)) throw error
      const { message } = error
      if (missingRight.test(message)) return check(id, 'failed', message, rbacStep(account, namespace))
      if (/does not support dry run/.test(message))
        return check(id, 'unproven', message, 'see user-namespaces: the probe’s pod passes the same admission')
      return check(id, 'failed', message, admissionGrant(message, namespace))
    }
  })
}

const missingRight = /cannot create resource "pods"/
const impersonation = 'run this as somebody who may impersonate the ServiceAccount, as the role "edit" may'

/** The one who asks may not, or nobody answers: that shows nothing of the cluster. */
function isBeyondUs({ code, message }: KubeError): boolean {
  return code === 0 || code === 401 || code >= 500 || /cannot impersonate/.test(message)
}

async function unlessRefused(id: string, next: string, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return check(id, 'unproven', error.message, error.code === 403 ? next : 'see that the API server answers')
  }
}

function rbacStep({ leaseNamespace, serviceAccount }: Account, namespace: string, more = ''): string {
  const named = `${serviceAccount === 'statewright' ? '' : ` --service-account ${serviceAccount}`}${more}`
  return `statewright rbac --namespaces ${namespace} --lease-namespace ${leaseNamespace}${named} | kubectl apply -f -`
}

function nameOf({ leaseNamespace, serviceAccount }: Account): string {
  return `ServiceAccount ${leaseNamespace}/${serviceAccount}`
}

function few(all: readonly string[]): string {
  const rest = all.length - shown
  return `${all.slice(0, shown).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
