/** `tool-manifest.json`, an asset of each release: what skills may call, to be pinned by who writes them (SKILLS-1, SKILLS-2). */
import { Type, type Static, type TObject, type TSchema } from 'typebox'
import { toolNames } from '../../../machines/turn/tools.ts'
import { agentKinds } from '../../../machines/task/events.ts'
import { contractVersion } from '../../../machines/turn/contract-version.ts'
import { toolsFor } from './server.ts'

const Enums = Type.Record(Type.String(), Type.Array(Type.String()))

const ManifestTool = Type.Object({
  name: Type.String(),
  profiles: Type.Array(Type.String(), { description: 'Agent kinds that have the tool.' }),
  fields: Type.Array(Type.String(), { description: 'All top-level arguments.' }),
  enums: {
    ...Enums,
    description: 'What the top-level arguments take that take one of a few words; of all profiles together.',
  },
  enumsOf: Type.Optional({
    ...Type.Record(Type.String(), Enums),
    description: 'The same by profile, where the profiles differ.',
  }),
})

export const ToolManifest = Type.Object({ contractVersion: Type.Integer(), tools: Type.Array(ManifestTool) })
export type ToolManifest = Static<typeof ToolManifest>

export function toolManifest(): ToolManifest {
  const served = agentKinds.flatMap((profile) => toolsFor(profile).map((tool) => ({ profile, tool })))
  const tools = toolNames.map((name) => {
    const mine = served.filter(({ tool }) => tool.name === name)
    const inputs = mine.map(({ tool }) => tool.input)
    const fields = fieldsOf(inputs)
    const enumsOf = Object.fromEntries(mine.map(({ profile, tool }) => [profile, enumsIn([tool.input])]))
    const differ = new Set(Object.values(enumsOf).map((enums) => JSON.stringify(enums))).size > 1
    const profiles = mine.map(({ profile }) => profile)
    return { name, profiles, fields, enums: enumsIn(inputs), ...(differ && { enumsOf }) }
  })
  return { contractVersion, tools }
}

function fieldsOf(inputs: readonly TObject[]): string[] {
  return [...new Set(inputs.flatMap(({ properties }) => Object.keys(properties)))]
}

function enumsIn(inputs: readonly TObject[]): Record<string, string[]> {
  const words = fieldsOf(inputs).map((field) => [field, wordsOf(inputs, field)] as const)
  return Object.fromEntries(words.filter(([, taken]) => taken.length > 0))
}

function wordsOf(inputs: readonly TObject[], field: string): string[] {
  return [...new Set(inputs.flatMap(({ properties }) => words(properties[field])))]
}

function words(schema: TSchema | undefined): readonly string[] {
  const members = (schema as { readonly anyOf?: readonly { readonly const?: unknown }[] } | undefined)?.anyOf ?? []
  const constants = members.map((member) => member.const)
  return constants.every((value) => typeof value === 'string') ? constants : []
}
