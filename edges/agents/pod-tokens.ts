import { Type, type Static } from 'typebox'
import { AgentKind } from '../../machines/task/events.ts'
import type { Clock, Ids } from '../../http/ports.ts'
import { unauthenticated } from '../../http/auth/authenticate.ts'
import { signToken, verifyToken, type SigningKey } from '../../http/auth/tokens.ts'
import { faultsOf } from '../../http/problems/validation.ts'

/**
 * What a pod's token says of it (POD-TOKEN-1). `task` and `project` are actor ids. `projectUid`: of the Project that it was made
 * for (POD-TOKEN-6); absent in a token of before that rule, and where there was no Project any more.
 */
export const PodClaims = Type.Object({
  project: Type.String(),
  projectUid: Type.Optional(Type.String({ minLength: 1 })),
  task: Type.String(),
  pod: Type.Integer({ minimum: 1 }),
  agentKind: AgentKind,
})
export type PodClaims = Static<typeof PodClaims>

export interface PodTokens {
  mint(claims: PodClaims, lifetimeSeconds: number): Promise<string>
  /** Throws an `unauthenticated` problem. Whether the pod still lives is the caller's question to its actor. */
  verify(token: string): Promise<PodClaims>
}

const issuer = 'statewright-orchestrator'
const audience = 'statewright-agents'

/** Two turns, the stop sequence's slack and the boot budget beyond the TTL: no pod outlives its token (POD-TOKEN-2). */
export function tokenLifetimeSeconds(pod: {
  readonly agentPodTTLSeconds: number
  readonly turnTimeoutSeconds: number
}): number {
  return pod.agentPodTTLSeconds + 2 * pod.turnTimeoutSeconds + 60 + 15 * 60
}

export function podTokens(key: SigningKey, clock: Clock, ids: Ids): PodTokens {
  return {
    mint: (claims, expiresInSeconds) =>
      signToken(key, clock, {
        issuer,
        audience,
        subject: `${claims.task}/${claims.pod}`,
        id: ids.next(),
        expiresInSeconds,
        claims,
      }),
    verify: async (token) => {
      const { claims } = await verifyToken([key], clock, { issuer, audience }, token)
      const picked = {
        project: claims['project'],
        ...(claims['projectUid'] === undefined ? {} : { projectUid: claims['projectUid'] }),
        task: claims['task'],
        pod: claims['pod'],
        agentKind: claims['agentKind'],
      }
      if (faultsOf(PodClaims, picked).length > 0) throw unauthenticated('the token is not a pod’s', true)
      return picked as PodClaims
    },
  }
}
