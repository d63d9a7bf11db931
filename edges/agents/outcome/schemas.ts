/**
 * The six outcome schemas of docs/contract/tools.md; `upgrade` is the documentation schema itself. Published to the agent as they
 * stand and used to validate every call. One object each: a top-level anyOf is not taken as tool input.
 */
import { Type, type Static, type TObject } from 'typebox'
import { Finding } from '../../../machines/effect.ts'
import type { AgentKind } from '../../../machines/task/events.ts'

const closed = { additionalProperties: false } as const
const text = (description: string) => Type.Optional(Type.String({ description }))
const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  // A mapped union has no static type of its own.
  Type.Unsafe<T[number]>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      { description },
    ),
  )

const task = text('Name of the Task (default: yours).')
const significance = Type.Optional(
  oneOf(['major', 'minor', 'patch'], 'major: backward-incompatible; minor: backward-compatible feature; patch: fix.'),
)

const mergeRequestFields = {
  title: text('Title of the merge request; required when submitted.'),
  body: text('Body of the merge request; required when submitted.'),
  change_significance: significance,
  merge_order: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Repository names, first-merged first; required when the merge requests span repositories.',
    }),
  ),
  decline_reason: text('Required when declined.'),
}

export const ImplementOutcome = Type.Object(
  {
    action: oneOf(['submitted', 'declined', 'approved', 'discuss', 'rejected'], 'What you conclude.'),
    ...mergeRequestFields,
    reason: text('Required for approved, discuss and rejected; for approved: what you treat as the go-ahead.'),
    approving_maintainer: text(
      'Login of the maintainer whose comment you cite; sent together with approval_citations, both or neither.',
    ),
    plan_note_id: text('Required for approved: the id that task_note returned for the approved plan.'),
    approval_citations: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({ description: 'external_id of the comment, copied verbatim from the bundle.' }),
            quote: Type.String({ description: 'A verbatim part of that comment.' }),
          },
          closed,
        ),
        { description: 'One entry per issue that the Task owns.' },
      ),
    ),
    task,
  },
  closed,
)
export type ImplementOutcome = Static<typeof ImplementOutcome>

export const DocumentationOutcome = Type.Object(
  {
    action: oneOf(['submitted', 'declined', 'discuss'], 'What you conclude.'),
    ...mergeRequestFields,
    reason: text('Required when discuss: why you pause.'),
    task,
  },
  closed,
)

const ReviewFinding = Type.Object(Finding.properties, closed)

const ReviewOutcome = Type.Object(
  {
    verdict: oneOf(['approve', 'request_changes'], 'There is no comment verdict.'),
    change_significance: significance,
    reviewed_shas: Type.Array(
      Type.Object(
        { repo: Type.String(), number: Type.Integer({ minimum: 1 }), sha: Type.String({ minLength: 7 }) },
        closed,
      ),
      { minItems: 1, description: 'The head that you checked out and read, per merge request.' },
    ),
    findings: Type.Optional(Type.Array(ReviewFinding, { description: 'At least one when request_changes.' })),
    task,
  },
  closed,
)
type ReviewOutcome = Static<typeof ReviewOutcome>

const BrainstormOutcome = Type.Object(
  {
    action: oneOf(['propose', 'skip'], 'What you conclude.'),
    proposals: Type.Optional(
      Type.Array(
        Type.Object(
          {
            repo: Type.String(),
            title: Type.String(),
            body: Type.String(),
            kind: oneOf(['bug', 'improvement'], 'Sort of proposal.'),
          },
          closed,
        ),
        { minItems: 1, maxItems: 5 },
      ),
    ),
    reason: text('Required when skip.'),
    task,
  },
  closed,
)

const IncidentOutcome = Type.Object(
  {
    action: oneOf(['file_issue', 'false_positive'], 'What you conclude.'),
    alert_rules: Type.Array(Type.String(), { minItems: 1 }),
    issue: Type.Optional(Type.Object({ repo: Type.String(), title: Type.String(), body: Type.String() }, closed)),
    reason: Type.String(),
    task,
  },
  closed,
)

export const RefineOutcome = Type.Object(
  {
    folds: Type.Optional(Type.Array(Type.Object({ task: Type.String() }, closed))),
    closes: Type.Optional(
      Type.Array(
        Type.Object({ repo: Type.String(), number: Type.Integer({ minimum: 1 }), reason: Type.String() }, closed),
      ),
    ),
    links: Type.Optional(
      Type.Array(
        Type.Object(
          { repo: Type.String(), number: Type.Integer({ minimum: 1 }), isPR: Type.Optional(Type.Boolean()) },
          closed,
        ),
      ),
    ),
    task,
  },
  closed,
)
export type RefineOutcome = Static<typeof RefineOutcome>

export const outcomeSchemas: Readonly<Record<AgentKind, TObject>> = {
  brainstorm: BrainstormOutcome,
  incident: IncidentOutcome,
  implement: ImplementOutcome,
  review: ReviewOutcome,
  refine: RefineOutcome,
  documentation: DocumentationOutcome,
  upgrade: DocumentationOutcome,
}
