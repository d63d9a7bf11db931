import { Type, type Static } from 'typebox'

/** The hooks that settings.json asks for. SessionStart comes before the CLI has connected its MCP servers, so it can't be one. */
export const hookEvents = [
  'UserPromptSubmit',
  'Stop',
  'StopFailure',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
] as const
export type HookEvent = (typeof hookEvents)[number]

/**
 * The members of what a hook is told that the wrapper uses. The CLI fills each into a template of settings.json as text,
 * and leaves it empty where the event has no such member.
 */
export const hookMembers = [
  'session_id',
  'transcript_path',
  'prompt_id',
  'prompt',
  'tool_name',
  'last_assistant_message',
  'error',
  'error_details',
] as const
export type HookInput = Readonly<Partial<Record<(typeof hookMembers)[number], string>>>

/** The arguments of the wiring's one tool. */
export const HookArguments = Type.Object(
  {
    event: Type.Union(hookEvents.map((event) => Type.Literal(event))),
    ...(Object.fromEntries(hookMembers.map((name) => [name, Type.String()])) as Record<
      (typeof hookMembers)[number],
      ReturnType<typeof Type.String>
    >),
  },
  { additionalProperties: false },
)
export type HookArguments = Static<typeof HookArguments>

/** The template by which the CLI makes those arguments. */
export function hookTemplate(event: HookEvent): Readonly<Record<string, string>> {
  return { event, ...Object.fromEntries(hookMembers.map((name) => [name, `\${${name}}`])) }
}

/** What is empty was not told. */
export function hookInputOf({ event: _event, ...members }: HookArguments): HookInput {
  return Object.fromEntries(Object.entries(members).filter(([, text]) => text !== ''))
}

/** What a hook answers: nothing, or context for the model at the tool boundary (CLI-FACT-9). */
export interface HookAnswer {
  readonly hookSpecificOutput: { readonly hookEventName: HookEvent; readonly additionalContext: string }
}
