import { people } from '../../standins/people.ts'
import { UsageError } from '../args.ts'
import type { Endpoints } from './endpoints.ts'

const dialects = ['github', 'gitlab'] as const
/** What the local forge speaks to the platform. */
export type ForgeChoice = (typeof dialects)[number]

/** Of `--forge`. */
export function forgeChoice(name: string | undefined): { readonly forge?: ForgeChoice } {
  if (name === undefined) return {}
  const forge = dialects.find((one) => one === name)
  if (forge === undefined) throw new UsageError(`--forge takes ${dialects.join(' or ')}, not ${name}`)
  return { forge }
}

/** A folder keeps the dialect that it began with: its resources name the addresses. */
export function dialectOf(
  dir: string,
  wanted: ForgeChoice | undefined,
  earlier: Pick<Endpoints, 'forgeApi'> | undefined,
): ForgeChoice {
  const known = earlier && (earlier.forgeApi.endsWith('/api/v4') ? 'gitlab' : 'github')
  if (known !== undefined && wanted !== undefined && wanted !== known)
    throw new UsageError(
      `${dir} has a forge that speaks the API of ${known}: leave out --forge, or name another folder with --dir`,
    )
  return wanted ?? known ?? 'github'
}

/** In GitLab's dialect a nested group, since every client stumbles there first. */
export function ownerIn(dialect: ForgeChoice): string {
  return dialect === 'gitlab' ? `${people.owner}/tools` : people.owner
}

export const providers = { github: 'forge_a', gitlab: 'forge_b' } as const satisfies Record<ForgeChoice, string>
