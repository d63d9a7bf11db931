import type { SecretReader } from '../../ports/resources.ts'
import { answered } from '../api/answers.ts'
import { pathOf, type KubeClient } from '../api/api.ts'

/** A DNS subdomain, as every Secret has it; an empty one would ask for all Secrets (SECRET-2). */
const objectName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

/** Asks the server at every use: there is no cache, so none can be old or leak (WEBHOOKS-8, ALERTS-3). @throws KubeError but for 404. */
export function kubeSecrets(client: KubeClient): SecretReader {
  return {
    async read(namespace, name) {
      if (!objectName.test(namespace) || !objectName.test(name)) return undefined
      try {
        const path = pathOf({ apiVersion: 'v1', plural: 'secrets' }, { namespace, name })
        const { data = {} } = await client.ask('GET', path)
        return Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, decoded(value)]))
      } catch (error) {
        if (answered(error, 404)) return undefined
        throw error
      }
    },
  }
}

function decoded(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8')
}
