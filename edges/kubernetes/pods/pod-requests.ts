/** Requests for pods and volumes, whose failures are in the words of the runtime (R7). */
import { AwayError, RetryableError, TerminalError } from '../../../runtime/errors.ts'
import { answered, KubeError } from '../api/answers.ts'
import { pathOf, type KubeClient, type KubeObject, type KubeResource } from '../api/api.ts'
import { deleteAt } from '../api/objects.ts'
import type { ObjectName } from './pod-names.ts'
import { taught } from './remediation-hints.ts'
import { claimRefused, podRefused } from './pod-reasons.ts'

type Client = Pick<KubeClient, 'ask'>

export const podsResource: KubeResource = { apiVersion: 'v1', plural: 'pods' }
export const claimsResource: KubeResource = { apiVersion: 'v1', plural: 'persistentvolumeclaims' }
export const secretsResource: KubeResource = { apiVersion: 'v1', plural: 'secrets' }

/**
 * AwayError where nobody answers, or answers by 5xx; RetryableError for any other refusal, since somebody may mend a right or a
 * quota.
 */
export function inWordsOfRuntime(cause: unknown): unknown {
  if (!(cause instanceof KubeError)) return cause
  const { message, retryAfterMs } = cause
  const isAway = cause.code === 0 || cause.code >= 500
  return new (isAway ? AwayError : RetryableError)(message, {
    cause,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

/** Undefined: there is none. @throws AwayError or RetryableError. */
export async function find(
  client: Client,
  resource: KubeResource,
  { namespace, name }: ObjectName,
): Promise<KubeObject | undefined> {
  try {
    return await client.ask('GET', pathOf(resource, { namespace, name }))
  } catch (error) {
    if (answered(error, 404)) return undefined
    throw inWordsOfRuntime(error)
  }
}

/** What the server will never take as it is: a field, a rule of admission, a namespace that is not there. */
const refusals: readonly number[] = [400, 403, 404, 422]

/** Of a server that has just started, and has not read its roles; of a namespace whose account is not made yet. */
const passing = /\bcannot \w+ resource "|error looking up service account/

/** A field that the server does not know is an error, and never left out without a word. */
const strict = { fieldValidation: 'Strict' }

/**
 * The one that is made, or undefined where there is one of the name.
 * @throws TerminalError, reason `PodRefused` or `ClaimRefused`, with the server's words.
 */
export async function make(
  client: Client,
  resource: KubeResource,
  namespace: string,
  body: object,
): Promise<KubeObject | undefined> {
  try {
    return await client.ask('POST', pathOf(resource, { namespace }), { body, query: strict })
  } catch (error) {
    if (error instanceof KubeError && error.reason === 'AlreadyExists') return undefined
    if (error instanceof KubeError && refusals.includes(error.code) && !passing.test(error.message))
      throw refusalOf(resource, error)
    throw inWordsOfRuntime(error)
  }
}

function refusalOf({ plural }: KubeResource, cause: KubeError): TerminalError {
  const reason = plural === claimsResource.plural ? claimRefused : podRefused
  return new TerminalError(reason, taught(reason, cause.message), { cause })
}

interface Removal {
  readonly resource: KubeResource
  /** Of the object; absent: its own. */
  readonly graceSeconds?: number
}

/** False: it is gone already, or a later object has its name. @throws AwayError or RetryableError. */
export async function removeOne(
  client: Client,
  { metadata: { namespace = 'default', name, uid } }: KubeObject,
  { resource, ...grace }: Removal,
): Promise<boolean> {
  try {
    return await deleteAt(client, pathOf(resource, { namespace, name }), { uid, ...grace })
  } catch (error) {
    throw inWordsOfRuntime(error)
  }
}
