import { UsageError } from '../args.ts'

const dialects = ['github', 'gitlab'] as const
/** What the local forge speaks to the platform. */
export type ForgeChoice = (typeof dialects)[number]

/** Of `--forge`; absent: what the folder holds, else GitHub's. */
export function forgeChoice(name: string | undefined): { readonly forge?: ForgeChoice } {
  if (name === undefined) return {}
  const forge = dialects.find((one) => one === name)
  if (forge === undefined) throw new UsageError(`--forge takes ${dialects.join(' or ')}, not ${name}`)
  return { forge }
}

export const providers = { github: 'forge_a', gitlab: 'forge_b' } as const satisfies Record<ForgeChoice, string>
