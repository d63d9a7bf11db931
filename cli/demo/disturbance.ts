/** Chaos in a run: kills at drawn moments, a maintainer who speaks beside them, and what both must not have broken. */
import type { Stack } from '../local/stack.ts'
import { planKills, wreak, type KillRecord } from './chaos.ts'
import { readHeard, unheard } from './heard.ts'
import { mergedWhileWithheld } from './said.ts'
import { startSpeaker, type SpokenWord } from './speaker.ts'
import { victimsOf } from './victims.ts'
import { planWords } from './word-plan.ts'

export interface ChaosPlan {
  readonly kills: number
  readonly seed: number
  readonly lengthMs: number
}

interface Disturbed {
  readonly kills: readonly KillRecord[]
  readonly words: readonly SpokenWord[]
  readonly faults: readonly string[]
}

interface Chaos {
  /** The maintainer has nothing to lift, and no webhook waits to be sent again. */
  idle(): boolean
  /** Ends the kills and judges what became of the words. */
  end(): Promise<Disturbed>
}

export function startChaos(
  stack: Stack,
  { kills: count, seed, lengthMs }: ChaosPlan,
  say: (text: string) => void,
): Chaos {
  const plan = planKills(count, seed, lengthMs)
  for (const kill of plan) say(`chaos: a kill is due at ${(kill.atMs / 1000).toFixed(1)} s (${kill.aim})`)
  const speaker = startSpeaker({
    forge: stack.forge,
    repository: stack.fullName,
    dialect: stack.dialect,
    barePath: stack.barePath,
    words: planWords(count, seed),
    say,
    now: Date.now,
  })
  const over = new AbortController()
  const targets = {
    victims: victimsOf(stack),
    client: stack.client,
    startedAt: Date.now(),
    onKill: (kill: KillRecord) => say(describeKill(kill)),
    beside: speaker.beside,
  }
  const wreaking = wreak(plan, targets, over.signal)
  return {
    idle: () => speaker.idle(),
    async end() {
      over.abort()
      const kills = await wreaking
      speaker.close()
      await settle(stack, speaker.sendMissed)
      const missed = plan.length - kills.length
      const faults = [
        ...(missed > 0 ? [`${missed} of the planned kills found no moment`] : []),
        ...mergedWhileWithheld(stack.forge.audit()),
        ...unheard(stack.forge.audit(), await readHeard(stack.client, stack.model)),
      ]
      return { kills, words: speaker.spoken(), faults }
    },
  }
}

const settleLimitMs = 30_000
const lookMs = 250

/** What was missed is told, and the actors have passed it on. */
async function settle({ client }: Stack, sendMissed: () => Promise<void>): Promise<void> {
  const limit = Date.now() + settleLimitMs
  for (let quiet = 0; quiet < 2 && Date.now() < limit;) {
    await sendMissed()
    await new Promise((resolve) => setTimeout(resolve, lookMs))
    const open = (await client.call('GET', '/operations/open').catch(() => undefined)) as
      | { readonly effects: readonly { readonly state: string }[] }
      | undefined
    quiet = open?.effects.every(({ state }) => state === 'dead') === true ? quiet + 1 : 0
  }
}

function describeKill({ victim, aim, stage, openTurn, pendingEffects }: KillRecord): string {
  const effects = pendingEffects.join(', ') || 'none'
  return `chaos: kill -9 ${victim} (aim ${aim}; stage ${stage}; open turn ${openTurn ?? 'none'}; unsettled effects: ${effects})`
}
