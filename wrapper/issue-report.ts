import { Type, type Static } from 'typebox'

export const issueCategories = [
  'tool_error',
  'directive_contradiction',
  'workspace_broken',
  'memory_inconsistent',
  'graph_inconsistent',
  'auth',
  'other',
] as const
export const issueSeverities = ['warn', 'error'] as const

/** What an agent may report about the platform itself: the tool's input, which the wrapper takes as it is. */
export const IssueReport = Type.Object(
  {
    category: Type.Union(issueCategories.map((category) => Type.Literal(category))),
    description: Type.String({ minLength: 1 }),
    severity: Type.Optional(Type.Union(issueSeverities.map((severity) => Type.Literal(severity)))),
    offending_tool: Type.Optional(Type.String()),
    resource_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
export type IssueReport = Static<typeof IssueReport>
