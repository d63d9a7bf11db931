/** What an operator settles for the memory stacks of a cluster (setting MEMORY_STACKS). */
import { Type, type Static } from 'typebox'
import { quantityPattern } from '../../crd/quantity.ts'
import type { StackSettings } from '../../edges/kubernetes/memory-stack/settings.ts'

const closed = { additionalProperties: false }
const Text = Type.String({ minLength: 1 })
const Quantities = Type.Record(Type.String(), Type.String({ pattern: quantityPattern }))
const Resources = Type.Object(
  { requests: Type.Optional(Quantities), limits: Type.Optional(Quantities) },
  { ...closed, minProperties: 1 },
)

/** docs/memory.md has the meaning of each. */
export const MemoryStackPreferences = Type.Object(
  {
    image: Type.Optional(Text),
    postgresImage: Type.Optional(Text),
    neo4jImage: Type.Optional(Text),
    lightragImage: Type.Optional(Text),
    imagePullPolicy: Type.Optional(
      Type.Union([Type.Literal('Always'), Type.Literal('IfNotPresent'), Type.Literal('Never')]),
    ),
    imagePullSecrets: Type.Optional(Type.Array(Text)),
    cloudNativePg: Type.Optional(
      Type.Union([
        Type.Object(
          {
            kind: Type.Union([Type.Literal('ClusterImageCatalog'), Type.Literal('ImageCatalog')]),
            name: Text,
            major: Type.Integer({ minimum: 1 }),
          },
          closed,
        ),
        Type.Object({ image: Text }, closed),
      ]),
    ),
    usesCloudNativePg: Type.Optional(Type.Boolean()),
    storageClass: Type.Optional(Text),
    tokenTypes: Type.Optional(Text),
    embeddings: Type.Optional(
      Type.Object(
        {
          url: Type.String({ pattern: '^https?://[^\\s]+$' }),
          model: Text,
          secret: Type.Optional(Type.Object({ name: Text, key: Text }, closed)),
        },
        closed,
      ),
    ),
    lightrag: Type.Optional(
      Type.Object(
        {
          variables: Type.Optional(Type.Record(Type.String(), Type.String())),
          secretName: Type.Optional(Text),
        },
        closed,
      ),
    ),
    resources: Type.Optional(
      Type.Object(
        {
          service: Type.Optional(Resources),
          postgres: Type.Optional(Resources),
          neo4j: Type.Optional(Resources),
          lightrag: Type.Optional(Resources),
        },
        closed,
      ),
    ),
    servicePodLabels: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  closed,
)
export type MemoryStackPreferences = Static<typeof MemoryStackPreferences>

const images = {
  postgresImage: 'pgvector/pgvector:pg17',
  neo4jImage: 'neo4j:5.26-community',
  lightragImage: 'hkuds/lightrag:v1.4.9.7',
}

/** Undefined: no Project gets a stack. */
export function memoryStacksOf(
  { image, tokenTypes, ...preferences }: MemoryStackPreferences,
  oidc: StackSettings['oidc'],
): StackSettings | undefined {
  if (image === undefined) return undefined
  return { ...images, ...preferences, image, oidc: { ...oidc, ...(tokenTypes === undefined ? {} : { tokenTypes }) } }
}
