/** Which of the rights that an orchestrator needs somebody has not: each is asked by itself (DEPLOYMENT-11). */
import { pathOf, type KubeClient } from '../api/api.ts'
import { rbacManifests } from './rbac.ts'

interface Rules {
  readonly kind: string
  readonly metadata: { readonly namespace?: string }
  readonly rules?: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly verbs: readonly string[]
    readonly resourceNames?: readonly string[]
  }[]
}

interface Right {
  readonly namespace: string
  readonly group: string
  readonly resource: string
  readonly verb: string
  readonly name?: string
}

interface Wanted {
  /** Watched. */
  readonly namespace: string
  readonly leaseNamespace: string
  readonly serviceAccount: string
  /** Those alone that memory stacks need beside the others. */
  readonly ofStacks?: boolean
}

interface Review {
  readonly status: { readonly allowed: boolean }
}

const reviews = { apiVersion: 'authorization.k8s.io/v1', plural: 'selfsubjectaccessreviews' }
const atOnce = 8

/**
 * `client`: of the ServiceAccount. `missing`: `patch tasks.platform.dev/status in team`, for people.
 * @throws KubeError
 */
export async function missingRights(
  client: Pick<KubeClient, 'ask'>,
  wanted: Wanted,
): Promise<{ readonly asked: number; readonly missing: readonly string[] }> {
  const rights = rightsOf(wanted)
  const missing: string[] = []
  for (let from = 0; from < rights.length; from += atOnce) {
    const batch = rights.slice(from, from + atOnce)
    const allowed = await Promise.all(batch.map((right) => isAllowed(client, right)))
    missing.push(...batch.filter((_right, index) => allowed[index] !== true).map(wordsOf))
  }
  return { asked: rights.length, missing }
}

function rightsOf({ ofStacks = false, ...wanted }: Wanted): readonly Right[] {
  const others = rightsIn(wanted, false)
  if (!ofStacks) return others
  const known = others.map(wordsOf)
  return rightsIn(wanted, true).filter((right) => !known.includes(wordsOf(right)))
}

function rightsIn({ namespace, ...account }: Omit<Wanted, 'ofStacks'>, memoryStacks: boolean): readonly Right[] {
  const manifests = rbacManifests({ namespaces: [namespace], ...account, memoryStacks }) as readonly Rules[]
  return manifests.flatMap(({ metadata: { namespace: within = namespace }, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.flatMap((verb) =>
            resourceNames.map((name) => ({
              ...{ namespace: within, group, resource, verb },
              ...(name === undefined ? {} : { name }),
            })),
          ),
        ),
      ),
    ),
  )
}

async function isAllowed(client: Pick<KubeClient, 'ask'>, { resource, ...right }: Right): Promise<boolean> {
  const [plural, subresource] = resource.split('/')
  const resourceAttributes = { ...right, resource: plural, ...(subresource === undefined ? {} : { subresource }) }
  const body = { apiVersion: reviews.apiVersion, kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } }
  const { status } = await client.ask<Review>('POST', pathOf(reviews), { body })
  return status.allowed
}

function wordsOf({ namespace, group, resource, verb, name }: Right): string {
  const [plural, ...rest] = resource.split('/')
  const kind = [group === '' ? plural : `${plural}.${group}`, ...rest].join('/')
  return `${verb} ${kind}${name === undefined ? '' : ` ${name}`} in ${namespace}`
}
