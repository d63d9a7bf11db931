/** The shape of a scenario file; README.md of this folder is its documentation. */
import { Type, type Static } from 'typebox'

const closed = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
const Condition = Type.Record(Type.String(), Type.Unknown())

const common = {
  as: Type.Optional(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' })),
  when: Type.Optional(Condition),
  allowError: Type.Optional(Type.Boolean()),
}

const faultKinds = [
  'overloaded',
  'rateLimit',
  'usageLimit',
  'serverError',
  'badRequest',
  'promptTooLong',
  'forbidden',
  'keyRefused',
  'noCredit',
  'reset',
  'errorEvent',
  'slow',
  'hang',
  'refusal',
  'maxTokens',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** One schema per verb, so that a fault is told about the verb that was meant. */
export const steps = {
  say: Type.Object({ say: text, when: common.when }, closed),
  tool: Type.Object({ tool: text, args: Type.Optional(Type.Record(Type.String(), Type.Unknown())), ...common }, closed),
  bash: Type.Object(
    { bash: text, in: Type.Optional(text), timeoutSeconds: Type.Optional(Type.Number({ minimum: 1 })), ...common },
    closed,
  ),
  write: Type.Object({ write: Type.Object({ path: text, content: Type.String() }, closed), ...common }, closed),
  edit: Type.Object({ edit: Type.Object({ path: text, old: text, new: Type.String() }, closed), ...common }, closed),
  read: Type.Object({ read: text, ...common }, closed),
  commit: Type.Object({ commit: text, ...common }, closed),
  expect: Type.Object(
    {
      expect: Type.Object(
        {
          value: Type.Optional(text),
          contains: Type.Optional(text),
          matches: Type.Optional(text),
          lacks: Type.Optional(text),
        },
        { ...closed, minProperties: 1 },
      ),
      when: common.when,
    },
    closed,
  ),
  fault: Type.Object(
    {
      fault: Type.Union(faultKinds.map((kind) => Type.Literal(kind))),
      times: Type.Optional(Type.Integer({ minimum: 1 })),
      seconds: Type.Optional(Type.Number({ minimum: 0 })),
      text: Type.Optional(text),
      when: common.when,
    },
    closed,
  ),
} as const

export type SayStep = Static<typeof steps.say>
export type ToolStep = Static<typeof steps.tool>
export type BashStep = Static<typeof steps.bash>
export type WriteStep = Static<typeof steps.write>
export type EditStep = Static<typeof steps.edit>
export type ReadStep = Static<typeof steps.read>
export type CommitStep = Static<typeof steps.commit>
export type ExpectStep = Static<typeof steps.expect>
export type FaultStep = Omit<Static<typeof steps.fault>, 'fault'> & { fault: FaultKind }
export type CallStep = ToolStep | BashStep | WriteStep | EditStep | ReadStep | CommitStep
export type Step = SayStep | CallStep | ExpectStep | FaultStep

export interface Entry {
  readonly name: string
  readonly when?: Readonly<Record<string, unknown>>
  readonly steps: readonly Step[]
}

export const Entry = Type.Object(
  { name: Type.Optional(text), when: Type.Optional(Condition), steps: Type.Array(Type.Unknown(), { minItems: 1 }) },
  closed,
)

const place = Type.Union([Type.Literal('issue'), Type.Literal('mergeRequest')])

export const HumanAct = Type.Object(
  {
    when: Type.Object(
      {
        comment: Type.Object(
          {
            by: Type.Optional(Type.Union([Type.Literal('bot'), Type.Literal('human'), Type.Literal('anyone')])),
            on: Type.Optional(place),
            matches: text,
          },
          closed,
        ),
      },
      closed,
    ),
    do: Type.Object(
      {
        comment: text,
        as: Type.Optional(text),
        on: Type.Optional(place),
      },
      closed,
    ),
  },
  closed,
)
export type HumanAct = Static<typeof HumanAct>

export const agentKinds = [
  'brainstorm',
  'incident',
  'implement',
  'review',
  'refine',
  'documentation',
  'upgrade',
] as const
export type AgentKind = (typeof agentKinds)[number]

export const Head = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9-]*$' }),
    description: Type.Optional(Type.String()),
    repository: Type.Optional(text),
    task: Type.Optional(
      Type.Object(
        {
          issue: Type.Object(
            {
              title: text,
              body: Type.String(),
              labels: Type.Optional(Type.Array(text)),
              as: Type.Optional(text),
            },
            closed,
          ),
        },
        closed,
      ),
    ),
    humans: Type.Optional(Type.Array(HumanAct)),
    accountUsage: Type.Optional(
      Type.Object(
        {
          fiveHour: Type.Number({ minimum: 0, maximum: 1 }),
          sevenDay: Type.Number({ minimum: 0, maximum: 1 }),
          resetsInSeconds: Type.Optional(Type.Number({ minimum: 0 })),
        },
        closed,
      ),
    ),
    agents: Type.Object(
      Object.fromEntries(agentKinds.map((kind) => [kind, Type.Optional(Type.Array(Type.Unknown(), { minItems: 1 }))])),
      { ...closed, minProperties: 1 },
    ),
  },
  closed,
)

export interface Issue {
  readonly title: string
  readonly body: string
  readonly labels?: readonly string[]
  readonly as?: string
}

export interface AccountUsage {
  readonly fiveHour: number
  readonly sevenDay: number
  readonly resetsInSeconds?: number
}

export interface Scenario {
  readonly name: string
  readonly description?: string
  /** Folder that becomes the repository, relative to the scenario file. */
  readonly repository?: string
  readonly task?: { readonly issue: Issue }
  readonly humans: readonly HumanAct[]
  readonly accountUsage?: AccountUsage
  readonly agents: Readonly<Partial<Record<AgentKind, readonly Entry[]>>>
}

export function isCall(step: Step): step is CallStep {
  return ['tool', 'bash', 'write', 'edit', 'read', 'commit'].some((verb) => verb in step)
}
