import type { InspectorDeps } from '../../edges/inspector/deps.ts'
import { registerInspector } from '../../edges/inspector/register.ts'
import { createTickets } from '../../edges/inspector/tickets.ts'
import type { HttpApp } from '../../edges/http/app.ts'

/** Its lines end with the server; `close` is there for what else it may come to hold. */
export async function addInspector(
  app: HttpApp,
  deps: Omit<InspectorDeps, 'tickets'>,
): Promise<{ mintTicket(): string; close(): void }> {
  const tickets = createTickets(deps)
  await registerInspector(app, { ...deps, tickets })
  return { mintTicket: () => tickets.mint(), close: () => undefined }
}
