/** `tool-manifest.json`, an asset of each release: what skills may call, to be pinned by who writes them (SKILLS-1, SKILLS-2). */
import { Type, type Static, type TObject, type TSchema } from 'typebox'
import { toolNames } from '../profiles.ts'
import { agentKinds } from '../../../machines/task/events.ts'
import { contractVersion } from '../../../machines/turn/contract-version.ts'
import { toolsFor } from './server.ts'

const ManifestTool = Type.Object({
  name: Type.String(),
  profiles: Type.Array(Type.String(), { description: 'Agent kinds that have the tool.' }),
  fields: Type.Array(Type.String(), { description: 'All top-level arguments.' }),
  enums: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'What the top-level arguments take that take one of a few words; of all profiles together.',
  }),
})

export const ToolManifest = Type.Object({ contractVersion: Type.Integer(), tools: Type.Array(ManifestTool) })
export type ToolManifest = Static<typeof ToolManifest>

export function toolManifest(): ToolManifest {
  const served = agentKinds.flatMap((profile) => toolsFor(profile).map((tool) => ({ profile, tool })))
  const tools = toolNames.map((name) => {
    const mine = served.filter(({ tool }) => tool.name === name)
    const inputs = mine.map(({ tool }) => tool.input)
    const fields = [...new Set(inputs.flatMap(({ properties }) => Object.keys(properties)))]
    const enums = fields
      .map((field) => [field, wordsOf(inputs, field)] as const)
      .filter(([, words]) => words.length > 0)
    return { name, profiles: mine.map(({ profile }) => profile), fields, enums: Object.fromEntries(enums) }
  })
  return { contractVersion, tools }
}

function wordsOf(inputs: readonly TObject[], field: string): string[] {
  return [...new Set(inputs.flatMap(({ properties }) => words(properties[field])))]
}

function words(schema: TSchema | undefined): readonly string[] {
  const members = (schema as { readonly anyOf?: readonly { readonly const?: unknown }[] } | undefined)?.anyOf ?? []
  const constants = members.map((member) => member.const)
  return constants.every((value) => typeof value === 'string') ? constants : []
}
