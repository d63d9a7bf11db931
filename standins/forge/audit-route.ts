import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { tokenOf } from './github/auth.ts'
import type { AuditLog } from './store/audit.ts'

/** The audit log for the parent, which alone holds the admin token; to everybody else the path does not exist. */
export function serveAudit(app: FastifyInstance, audit: AuditLog, adminToken: string): void {
  app.get('/_audit', (request, reply) => {
    const token = tokenOf(request.headers.authorization ?? '')
    if (token === undefined || !equal(token, adminToken)) return reply.code(404).send({ message: 'Not Found' })
    return reply.send({ entries: audit.entries() })
  })
}

function equal(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
