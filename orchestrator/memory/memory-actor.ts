/** The actor that fills the memory of a Project. It comes into being with the first apply that has anything to fill. */
import type { Delivery, Runtime } from '../../runtime/runtime.ts'

/** Of a Project whose memory nobody has ever filled there is none, and nothing to deliver. `project`: `<namespace>/<name>`. */
export async function deliverToMemory(
  runtime: Pick<Runtime, 'deliver' | 'read'>,
  project: string,
  delivery: Pick<Delivery, 'key' | 'event'>,
): Promise<void> {
  const to = `memory:${project}` as const
  if ((await runtime.read(to)) !== undefined) await runtime.deliver({ to, ...delivery })
}
