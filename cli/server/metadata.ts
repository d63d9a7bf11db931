/** What an orchestrator publishes of itself, before anybody is signed in. */
import { fetchJson } from '../../http/fetch-json.ts'
import { protectedResourcePath, ProtectedResource } from '../../orchestrator/wiring/protected-resource.ts'
import { systemClock } from '../../runtime/clock.ts'

export function metadataOf(url: string): Promise<ProtectedResource> {
  return fetchJson({ url: `${url}${protectedResourcePath}`, schema: ProtectedResource, clock: systemClock, fetch })
}

/** Undefined where nobody answers it: an older orchestrator, or another program. */
export async function versionOf(url: string): Promise<string | undefined> {
  return metadataOf(url).then(
    ({ statewright_version: version }) => version,
    () => undefined,
  )
}
