/** What the stub does wrong on purpose: the reason why it exists. Read from a file, since the agent's environment is an allowlist. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'

/** Turns are counted from 0. `turn` absent: every turn. */
const AtTurn = Type.Object({ turn: Type.Optional(Type.Integer({ minimum: 0 })) }, { additionalProperties: false })

export const StubFaults = Type.Object(
  {
    /** Swallow this many Enters that would have submitted. */
    dropEnters: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Take an Enter at once, but begin the turn only after this time. */
    enterDelayMs: Type.Optional(Type.Number({ minimum: 0 })),
    /** Draw the prompt only after this time; keys before are lost. */
    bootDelayMs: Type.Optional(Type.Number({ minimum: 0 })),
    /** Show this dialog at boot, the refusing answer preselected. */
    dialog: Type.Optional(Type.Union([Type.Literal('bypass'), Type.Literal('trust'), Type.Literal('unknown')])),
    /** Exit at boot with this code. */
    exitAtBoot: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    /** End the turn without the Stop hook. */
    noStop: Type.Optional(AtTurn),
    /** End the turn with StopFailure and this error, without asking the model. */
    stopFailure: Type.Optional(
      Type.Object(
        { turn: Type.Optional(Type.Integer()), error: Type.String(), message: Type.Optional(Type.String()) },
        { additionalProperties: false },
      ),
    ),
    /** Exit after the model's first answer of the turn. */
    exitMidTurn: Type.Optional(
      Type.Object(
        { turn: Type.Optional(Type.Integer()), code: Type.Integer({ minimum: 0, maximum: 255 }) },
        { additionalProperties: false },
      ),
    ),
    /** Accept the prompt and then do nothing at all; ESC does not end it. */
    hang: Type.Optional(AtTurn),
    /** Accept the prompt and wait for ESC. */
    stall: Type.Optional(AtTurn),
    /** Ignore ESC. */
    ignoreEscape: Type.Optional(Type.Boolean()),
    /** Begin a turn of its own this long after that turn ended. */
    spontaneousTurn: Type.Optional(
      Type.Object(
        { afterTurn: Type.Integer({ minimum: 0 }), delayMs: Type.Number({ minimum: 0 }), prompt: Type.String() },
        { additionalProperties: false },
      ),
    ),
    /** Write the last lines of the transcript only this long after the Stop hook began. */
    transcriptDelayMs: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { additionalProperties: false },
)
export type StubFaults = Static<typeof StubFaults>

/** From `--stub-faults`, else `STUB_CLI_FAULTS`, else `~/.stub-cli.json`. @throws when the file is not valid. */
export function readFaults(flag: string | undefined, env: Readonly<Record<string, string | undefined>>): StubFaults {
  const file = flag ?? env['STUB_CLI_FAULTS'] ?? join(env['HOME'] ?? '/', '.stub-cli.json')
  if (!existsSync(file)) return {}
  const faults: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const errors = Value.Errors(StubFaults, faults)
  if (errors.length > 0)
    throw new Error(`${file}: ${errors.map((error) => `${error.instancePath || '/'} ${error.message}`).join('; ')}`)
  return faults as StubFaults
}

export function appliesTo(fault: { readonly turn?: number } | undefined, turn: number): boolean {
  return fault !== undefined && (fault.turn === undefined || fault.turn === turn)
}
