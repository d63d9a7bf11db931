import type { Adapter, AdapterPayload } from 'oidc-provider'
import { noStorage } from './no-storage.ts'

/** What signing in by device or browser has to be found again: in memory, gone with the process, as sign-ins of one machine may be. */
const kept: ReadonlySet<string> = new Set([
  'Session',
  'Interaction',
  'Grant',
  'DeviceCode',
  'AuthorizationCode',
  'RefreshToken',
  'ReplayDetection',
])

export function deviceStorage(): (name: string) => Adapter {
  const stored = new Map<string, AdapterPayload>()
  const find = (wanted: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
    [...stored.values()].find(wanted)

  return (name) => {
    if (!kept.has(name)) return noStorage()
    const key = (id: string): string => `${name}:${id}`
    return {
      upsert: async (id, payload) => void stored.set(key(id), payload),
      find: async (id) => stored.get(key(id)),
      findByUserCode: async (code) => find((payload) => payload.userCode === code),
      findByUid: async (uid) => find((payload) => payload.uid === uid && payload.kind === name),
      consume: async (id) => {
        const payload = stored.get(key(id))
        if (payload !== undefined) stored.set(key(id), { ...payload, consumed: Math.floor(Date.now() / 1000) })
      },
      destroy: async (id) => void stored.delete(key(id)),
      revokeByGrantId: async (grantId) => {
        for (const [at, payload] of stored) if (payload.grantId === grantId) stored.delete(at)
      },
    }
  }
}
