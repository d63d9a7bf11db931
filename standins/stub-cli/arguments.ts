/** The flags of Claude Code that the wrapper uses. */
import { parseArgs } from 'node:util'

export interface StubArguments {
  readonly sessionId: string | undefined
  readonly resume: string | undefined
  readonly model: string
  readonly effort: string
  readonly skipPermissions: boolean
  readonly disallowedTools: readonly string[]
  readonly appendSystemPrompt: string
  /** The stub's own: a file with faults; the real CLI has no such flag. */
  readonly faultsFile: string | undefined
  readonly version: boolean
}

export function readArguments(argv: readonly string[]): StubArguments {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    strict: false,
    options: {
      'session-id': { type: 'string' },
      resume: { type: 'string', short: 'r' },
      model: { type: 'string' },
      effort: { type: 'string' },
      'dangerously-skip-permissions': { type: 'boolean' },
      disallowedTools: { type: 'string', multiple: true },
      'append-system-prompt': { type: 'string' },
      'stub-faults': { type: 'string' },
      version: { type: 'boolean', short: 'v' },
    },
  })
  const text = (name: keyof typeof values): string | undefined =>
    typeof values[name] === 'string' ? values[name] : undefined
  return {
    sessionId: text('session-id'),
    resume: text('resume'),
    model: text('model') ?? 'claude-opus-5-5',
    effort: text('effort') ?? 'high',
    skipPermissions: values['dangerously-skip-permissions'] === true,
    disallowedTools: (values.disallowedTools ?? []).flatMap((list) => String(list).split(/[\s,]+/)),
    appendSystemPrompt: text('append-system-prompt') ?? '',
    faultsFile: text('stub-faults'),
    version: values.version === true,
  }
}
