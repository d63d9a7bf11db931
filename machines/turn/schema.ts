import { Type, type Static } from 'typebox'

/** What the wrapper and the orchestrator say to each other about a turn (MESSAGES-10, CALLBACK-2, TURN-1, TURN-10, WRAPPER-RULE-6). */

/** Largest body of POST /v1/messages (WRAPPER-RULE-4). */
export const maxMessageBytes = 8 * 1024 * 1024

const timestamp = (description: string) => Type.String({ format: 'date-time', description })
/** Neither NUL nor half of a surrogate pair (HTTP-19). */
const name = (more: { readonly minLength?: number; readonly maxLength?: number; readonly description?: string } = {}) =>
  Type.String({ pattern: '^[^\\u0000\\ud800-\\udfff]*$', ...more })
const count = (description: string) => Type.Integer({ minimum: 0, description })

export const TurnState = Type.Union([Type.Literal('running'), Type.Literal('completed'), Type.Literal('failed')])
export type TurnState = Static<typeof TurnState>

/** The provider withholds the model from the key: a used-up window, a key that is revoked, an account without money (MODEL-KEY-1). */
export const Withholding = Type.Union([
  Type.Literal('usage_limit'),
  Type.Literal('key_refused'),
  Type.Literal('no_credit'),
])
export type Withholding = Static<typeof Withholding>

/** Why a turn ended, as the wrapper knows it (TURN-10). `completed` has `end_turn`, `max_tokens` or `refusal`. */
export const WrapperStopReason = Type.Union([
  Type.Literal('end_turn'),
  Type.Literal('max_tokens'),
  Type.Literal('refusal'),
  Type.Literal('interrupted'),
  Type.Literal('api_error'),
  ...Withholding.anyOf,
  Type.Literal('agent_exited'),
  Type.Literal('transcript_unreadable'),
  Type.Literal('shutdown'),
])
export type WrapperStopReason = Static<typeof WrapperStopReason>

/** The orchestrator's own turn may also end for reasons that no wrapper reports (TURN-10). */
export const StopReason = Type.Union([
  WrapperStopReason,
  Type.Literal('interrupt_unconfirmed'),
  Type.Literal('expired'),
  Type.Literal('conflict'),
  Type.Literal('abandoned'),
  /** The ledger had no room for it. */
  Type.Literal('budget'),
])
export type StopReason = Static<typeof StopReason>

export const TokenCounts = Type.Object(
  {
    inputTokens: count('Uncached input tokens.'),
    outputTokens: count('Output tokens.'),
    cacheReadTokens: count('Input tokens read from the prompt cache.'),
    cacheWriteTokens: count('Input tokens written to the prompt cache.'),
    costUsd: Type.Number({
      minimum: 0,
      description: 'List-price estimate in US dollars; 0 for a model without a known price.',
    }),
  },
  { additionalProperties: false },
)
export type TokenCounts = Static<typeof TokenCounts>

export const Usage = Type.Object(
  { ...TokenCounts.properties, byModel: Type.Record(Type.String(), TokenCounts) },
  { additionalProperties: false, description: 'What the turn consumed, each model message counted once.' },
)
export type Usage = Static<typeof Usage>

export const UsageWindow = Type.Object(
  {
    usedPercent: Type.Number({ minimum: 0, maximum: 100 }),
    resetsAt: timestamp('When the window resets.'),
  },
  { additionalProperties: false },
)
export type UsageWindow = Static<typeof UsageWindow>

/** Subscription usage as the CLI's status line told it; absent until it ever told any. */
export const AccountUsage = Type.Object(
  { fiveHour: UsageWindow, sevenDay: UsageWindow, reportedAt: timestamp('When the wrapper received it.') },
  { additionalProperties: false },
)
export type AccountUsage = Static<typeof AccountUsage>

export const TurnError = Type.Object(
  {
    code: Type.String({ description: 'Machine-readable cause, for example `rate_limit`, `server_error`, `exit`.' }),
    message: Type.String(),
    resetsAt: Type.Optional(timestamp('Of a withheld model: when it is given again, if known.')),
  },
  { additionalProperties: false },
)
export type TurnError = Static<typeof TurnError>

export const FailedPush = Type.Object({ repo: Type.String(), error: Type.String() }, { additionalProperties: false })
export type FailedPush = Static<typeof FailedPush>

/** Why the wrapper refused a call of a tool (law B3 of SECURITY.md). */
export const CallRefusal = Type.Union([
  Type.Literal('no-turn'),
  Type.Literal('no-block'),
  Type.Literal('other-tool'),
  Type.Literal('other-arguments'),
  Type.Literal('too-deep'),
])
export type CallRefusal = Static<typeof CallRefusal>

/** So many pairs of tool and reason are named; the others are summed by reason, under an empty name. */
export const mostNamedRefusals = 16
/** What was asked for with which arguments is not said: it may be secret. */
export const RefusedCalls = Type.Array(
  Type.Object(
    {
      tool: Type.String({
        pattern: '^[A-Za-z0-9_-]{0,64}$',
        description: 'Empty: tools beyond those that are named, and names that no tool can have.',
      }),
      reason: CallRefusal,
      count: Type.Integer({ minimum: 1, description: 'Calls of this tool that were refused for this reason.' }),
    },
    { additionalProperties: false },
  ),
  {
    maxItems: mostNamedRefusals + CallRefusal.anyOf.length,
    description:
      'Calls of tools that no model decided and that were refused since the result before: in this turn, and between the two.',
  },
)
export type RefusedCalls = Static<typeof RefusedCalls>

export const MessageRequest = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      description: 'The user turn. Delivered exactly, control and invisible characters aside.',
    }),
    callbackUrl: Type.Optional(
      Type.String({ description: 'Overrides the default callback of this turn when not empty.' }),
    ),
    handoff: Type.Optional(Type.Boolean({ description: 'The one turn that is accepted past the TTL.' })),
  },
  { additionalProperties: false },
)
export type MessageRequest = Static<typeof MessageRequest>

export const MessageAccepted = Type.Object({ turnId: Type.String() }, { additionalProperties: false })
export type MessageAccepted = Static<typeof MessageAccepted>

export const TurnSummary = Type.Object(
  {
    turnId: Type.String(),
    state: TurnState,
    startedAt: timestamp('When the message was accepted.'),
    completedAt: Type.Optional(timestamp('When the result was recorded.')),
    idempotencyKey: Type.Optional(Type.String()),
    handoff: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type TurnSummary = Static<typeof TurnSummary>

export const TurnList = Type.Object(
  { items: Type.Array(TurnSummary), nextCursor: Type.Optional(Type.String()) },
  { additionalProperties: false },
)
export type TurnList = Static<typeof TurnList>

/** For people: what the agent did last. */
export const LastTool = Type.Object(
  {
    name: name({ description: 'As the agent names it.' }),
    failed: Type.Boolean({ description: 'It answered with an error.' }),
  },
  { additionalProperties: false },
)
export type LastTool = Static<typeof LastTool>

const outcome = {
  finalText: Type.String({ description: 'The last assistant message, or what there was of it.' }),
  usage: Usage,
  stopReason: WrapperStopReason,
  error: Type.Optional(TurnError),
  accountUsage: Type.Optional(AccountUsage),
  pushed: Type.Array(Type.String(), { description: 'Repositories whose task branch now holds the work of this turn.' }),
  failed: Type.Array(FailedPush, { description: 'Repositories whose work stays in the volume, and why.' }),
  refusedCalls: Type.Optional(RefusedCalls),
  lastTool: Type.Optional(LastTool),
}

/** A turn by id. Before its end the result members are absent. */
export const TurnResult = Type.Object(
  {
    ...TurnSummary.properties,
    finalText: Type.Optional(outcome.finalText),
    usage: Type.Optional(outcome.usage),
    stopReason: Type.Optional(outcome.stopReason),
    error: outcome.error,
    accountUsage: outcome.accountUsage,
    pushed: Type.Optional(outcome.pushed),
    failed: Type.Optional(outcome.failed),
    refusedCalls: outcome.refusedCalls,
    lastTool: outcome.lastTool,
  },
  { additionalProperties: false },
)
export type TurnResult = Static<typeof TurnResult>

/** Body of POST /internal/turn-complete. A hint: it is believed after GET at that pod (TURN-4). */
export const TurnComplete = Type.Object(
  {
    turnId: name(),
    task: name(),
    pod: Type.Integer({ minimum: 0, description: 'Ordinal of the pod.' }),
    idempotencyKey: Type.Optional(name({ description: 'The turn actor that asked for this turn.' })),
    state: Type.Union([Type.Literal('completed'), Type.Literal('failed')]),
    ...outcome,
    startedAt: timestamp('When the message was accepted.'),
    completedAt: timestamp('When the result was recorded.'),
  },
  { additionalProperties: false },
)
export type TurnComplete = Static<typeof TurnComplete>

export const ProbeRequest = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: 9000,
      description: 'Longer texts the CLI would replace by a file reference.',
    }),
    probeId: name({ minLength: 1, maxLength: 200 }),
  },
  { additionalProperties: false },
)
export type ProbeRequest = Static<typeof ProbeRequest>

export const ProbeAccepted = Type.Object({ probeId: Type.String() }, { additionalProperties: false })
export type ProbeAccepted = Static<typeof ProbeAccepted>

export const LastProbe = Type.Object(
  {
    probeId: Type.String(),
    deliveredAt: Type.Optional(timestamp('When it was handed to the agent at a tool-call boundary.')),
    answeredAt: Type.Optional(timestamp('When the agent wrote its first line after the delivery.')),
  },
  { additionalProperties: false },
)
export type LastProbe = Static<typeof LastProbe>

export const Hindrance = Type.Object(
  {
    kind: Type.Union(
      [
        Type.Literal('model-retries'),
        Type.Literal('model-silent'),
        Type.Literal('usage-limit'),
        Type.Literal('screen-still'),
      ],
      {
        description:
          'The model fails and the CLI asks again; a request is open and brings nothing but pings; a window of the subscription is used up; the screen stands still in a turn, as a dialog makes it.',
      },
    ),
    since: timestamp(
      'When it was noticed; for `screen-still` the last repaint, for `model-silent` the last event that was no ping.',
    ),
    pings: Type.Optional(count('Pings of a silent model since then.')),
    attempts: Type.Optional(count('Failed requests in a row.')),
    status: Type.Optional(count('HTTP status of the last failure; 0 for a connection that failed or broke off.')),
    resetsAt: Type.Optional(timestamp('For a usage limit: when it resets, if known.')),
  },
  { additionalProperties: false },
)
export type Hindrance = Static<typeof Hindrance>

/** `model` and `repo` are empty strings when unset. */
export const Session = Type.Object(
  {
    state: Type.Union([Type.Literal('idle'), Type.Literal('busy'), Type.Literal('stopping')]),
    turnsCompleted: count('Turns whose result is recorded, completed or failed.'),
    model: Type.String(),
    repo: Type.String(),
    contractVersion: Type.Integer(),
    sessionId: Type.String(),
    startedAt: timestamp('When this pod started; its TTL counts from here.'),
    lastActivityAt: timestamp('Last genuine activity of the agent.'),
    stallSuspectedAt: Type.Optional(timestamp('Since when the running turn shows no activity.')),
    hindrance: Type.Optional(Hindrance),
    lastProbe: Type.Optional(LastProbe),
  },
  { additionalProperties: false },
)
export type Session = Static<typeof Session>
