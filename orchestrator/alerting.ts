import type { QueueContext } from '../machines/queue/context.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Projects } from '../edges/forge/project-directory.ts'
import type { Alerting } from '../edges/alerts/route.ts'
import type { SecretReader } from '../edges/ports/resources.ts'

/** Read at the delivery: neither settings nor secret are cached (ALERTS-3). */
export async function alertingOf(
  { directory, secrets }: { readonly directory: Projects; readonly secrets: SecretReader },
  name: string,
): Promise<Alerting | undefined> {
  const [project, found] = [await directory.project(name), await directory.spec(name)]
  if (project === undefined || found === undefined) return undefined
  const { enabled = false, secretRef = '' } = found.spec.alerting ?? {}
  return {
    project,
    enabled,
    webhookSecret: async () =>
      secretRef === '' ? undefined : (await secrets.read(project.namespace, secretRef))?.['webhookSecret'],
  }
}

/** Entries of the queue's alerts that no slot was free for yet. */
export async function waitingAlerts(runtime: Pick<Runtime, 'read'>, project: string): Promise<ReadonlySet<string>> {
  const { entries = [] } = ((await runtime.read(`queue:${project}`))?.context ?? {}) as Partial<QueueContext>
  const waiting = entries.filter((one) => one.class === 'alert' && one.admittedAt === null)
  return new Set(waiting.map(({ entry }) => entry))
}
