import type { Authenticate } from '../../http/auth/authenticate.ts'
import type { HttpServer } from '../../http/server.ts'
import type { WrapperMetrics } from '../metrics.ts'
import { AccountUsageSnapshot } from './account-usage.ts'

export interface UsageFeedOptions {
  readonly metrics: Pick<WrapperMetrics, 'statuslineReport'>
  readonly onAccountUsage: (snapshot: AccountUsageSnapshot) => void
}

/** STATUSLINE-6 fixes the path. Without `auth` whoever reaches the server may report: only for a socket of the CLI's view. */
export function addUsageFeed({ app }: HttpServer, options: UsageFeedOptions, auth?: Authenticate): void {
  app.post(
    '/internal/account-usage',
    { ...(auth && { config: { auth } }), schema: { body: AccountUsageSnapshot }, attachValidation: true },
    async (request, reply) => {
      if (request.validationError) {
        options.metrics.statuslineReport('bad_payload')
        throw request.validationError
      }
      options.metrics.statuslineReport('ok')
      options.onAccountUsage(request.body)
      return reply.code(204).send()
    },
  )
}
