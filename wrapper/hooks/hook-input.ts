import { Type, type Static } from 'typebox'

/** The hooks that settings.json asks for. The CLI posts each to the loopback; SessionStart it would give to programs only. */
export const hookEvents = [
  'UserPromptSubmit',
  'Stop',
  'StopFailure',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
] as const
export type HookEvent = (typeof hookEvents)[number]

/** The members of what a hook is told that the wrapper uses; the CLI sends more and may add others. */
export const HookInput = Type.Object({
  session_id: Type.Optional(Type.String()),
  transcript_path: Type.Optional(Type.String()),
  prompt_id: Type.Optional(Type.String()),
  prompt: Type.Optional(Type.String()),
  tool_name: Type.Optional(Type.String()),
  last_assistant_message: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  error: Type.Optional(Type.Unknown()),
  error_details: Type.Optional(Type.Unknown()),
})
export type HookInput = Static<typeof HookInput>

/** What a hook answers: nothing, or context for the model at the tool boundary (facts 8). */
export interface HookAnswer {
  readonly hookSpecificOutput: { readonly hookEventName: HookEvent; readonly additionalContext: string }
}
