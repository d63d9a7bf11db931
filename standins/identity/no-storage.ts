import type { Adapter } from 'oidc-provider'

/** Tokens of the client credentials grant are self-contained JWTs: there is nothing to keep or to find again. */
export function noStorage(): Adapter {
  const nothing = async (): Promise<undefined> => undefined
  return {
    upsert: nothing,
    find: nothing,
    findByUserCode: nothing,
    findByUid: nothing,
    consume: nothing,
    destroy: nothing,
    revokeByGrantId: nothing,
  }
}
